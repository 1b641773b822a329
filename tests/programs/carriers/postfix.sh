# Postfix, which warns of a delay after ten seconds, and gives up after 40.
package="postfix"
preset="postfix postfix/main_mailer_type select No configuration"
guess back "at once, as multipart/report; of a delay, as multipart/report with the action delayed"

serve() {
  rm -rf /var/spool/postfix/{active,deferred,incoming,maildrop,defer,bounce}/*
  cat >/etc/postfix/main.cf <<CONF
compatibility_level = 3.6
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.example.org
mydestination = example.org
mynetworks = 127.0.0.0/8
relayhost = [127.0.0.1]:$FAR
alias_maps =
maillog_file = /dev/stdout
delay_warning_time = 10s
maximal_queue_lifetime = 40s
bounce_queue_lifetime = 40s
queue_run_delay = 5s
minimal_backoff_time = 5s
maximal_backoff_time = 5s
smtp_dns_support_level = disabled
CONF
  sed "s/^smtp      inet/127.0.0.1:$PORT inet/; s/^\\(.* inet  n       -       \\)y/\\1n/" /usr/share/postfix/master.cf.dist >/etc/postfix/master.cf
  sed -i -E 's/^([a-z0-9.:]+ +(inet|unix) +[-n] +[-n] +)[-y]( )/\1n\3/' /etc/postfix/master.cf
  touch /var/mail/orders; chown orders:mail /var/mail/orders
  postfix start
}
