# OpenSMTPD, which warns of a delay after ten seconds, and gives up after 40.
package=opensmtpd
guess back "at once, as multipart/report; status 5.0.0"

serve() {
  rm -rf /var/spool/smtpd/queue/*
  echo mx.example.org >/etc/mailname
  printf '%s\n' "queue ttl 40s" "bounce warn-interval 10s" "listen on 127.0.0.1 port $PORT" 'action "here" mbox' "action \"away\" relay host smtp://127.0.0.1:$FAR" \
    'match from any for domain "example.org" action "here"' 'match from any for any action "away"' >/etc/smtpd.conf
  /usr/sbin/smtpd
}
