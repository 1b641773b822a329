# Exim, with a configuration of its own; it warns of a delay after ten seconds, and gives up after 40.
package=exim4-daemon-light
guess back "at once, as multipart/report; the reason in the text"

serve() {
  mkdir -p /run/exim4; chown Debian-exim: /run/exim4
  rm -rf /var/spool/exim4/input/*
  cat >/etc/exim4/exim4.conf <<CONF
primary_hostname = mx.example.org
acl_smtp_rcpt = accept
acl_smtp_data = accept
queue_only = false
delay_warning = 10s
keep_environment =
begin routers
here:
  driver = accept
  domains = example.org
  check_local_user
  transport = spool
unknown:
  driver = redirect
  domains = example.org
  allow_fail
  data = :fail: no such user here
away:
  driver = manualroute
  domains = ! example.org
  route_list = * 127.0.0.1::$FAR byname
  self = send
  transport = smtp
begin transports
spool:
  driver = appendfile
  file = /var/mail/\$local_part_data
  group = mail
  mode = 0660
smtp:
  driver = smtp
  hosts_try_fastopen =
begin retry
* * F,40s,5s
CONF
  /usr/sbin/exim4 -bd -q5s -oX "127.0.0.1.$PORT"
}
