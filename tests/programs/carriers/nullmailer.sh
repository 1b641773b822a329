# nullmailer listens at no port and delivers nothing here: a bridge hands it what is sent, and reports go to the other
# server. It gives up after 40 seconds.
package="nullmailer"
guess back "at once, as multipart/report, through the other server; of a delay nothing"

serve() {
  echo mx.example.org >/etc/nullmailer/me; echo example.org >/etc/nullmailer/defaultdomain
  echo "127.0.0.1 smtp --port=$FAR" >/etc/nullmailer/remotes
  echo 40 >/etc/nullmailer/queuelifetime; echo 5 >/etc/nullmailer/pausetime; echo 5 >/etc/nullmailer/maxpause
  chmod 600 /etc/nullmailer/remotes; chown mail:mail /etc/nullmailer/remotes
  rm -f /var/spool/nullmailer/queue/* /var/spool/nullmailer/failed/*
  [[ -p /var/spool/nullmailer/trigger ]] || { rm -f /var/spool/nullmailer/trigger; mkfifo /var/spool/nullmailer/trigger; chown mail: /var/spool/nullmailer/trigger; chmod 622 /var/spool/nullmailer/trigger; }
  runuser -u mail -- /usr/sbin/nullmailer-send >/root/nullmailer.log 2>&1 &
  python3 ~/bridge.py "$PORT" /usr/sbin/sendmail &
}
