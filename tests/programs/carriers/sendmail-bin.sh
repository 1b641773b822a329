# Sendmail, with Debian's macros, which warns of a delay after ten seconds, and gives up after 40. It would
# hold all mail while the machine is busy (QueueLA).
package="sendmail-bin sendmail-cf sendmail-base m4 procmail"
guess back "at once, as multipart/report; Diagnostic-Code; of a delay, as multipart/report with the action delayed"

serve() {
  mkdir -p /run/sendmail/mta /var/spool/mqueue /etc/mail
  rm -f /var/spool/mqueue/*
  cat >/etc/mail/sendmail.mc <<CONF
include(\`/usr/share/sendmail/cf/m4/cf.m4')dnl
OSTYPE(\`debian')dnl
DOMAIN(\`debian-mta')dnl
FEATURE(\`nocanonify')dnl
FEATURE(\`accept_unresolvable_domains')dnl
FEATURE(\`accept_unqualified_senders')dnl
define(\`confDOMAIN_NAME', \`mx.example.org')dnl
define(\`SMART_HOST', \`relay:[127.0.0.1]')dnl
define(\`RELAY_MAILER_ARGS', \`TCP \$h $FAR')dnl
define(\`confTO_QUEUEWARN', \`10s')dnl
define(\`confTO_QUEUERETURN', \`40s')dnl
define(\`confQUEUE_LA', \`1000')dnl
define(\`confREFUSE_LA', \`1000')dnl
undefine(\`confHOST_STATUS_DIRECTORY')dnl
DAEMON_OPTIONS(\`Name=MTA, Addr=127.0.0.1, Port=$PORT')dnl
LOCAL_DOMAIN(\`example.org')dnl
FEATURE(\`local_procmail')dnl
MAILER(\`local')dnl
MAILER(\`smtp')dnl
CONF
  m4 /etc/mail/sendmail.mc >/etc/mail/sendmail.cf
  : >/etc/mail/aliases; : >/etc/mail/access; : >/etc/mail/local-host-names
  newaliases
  /usr/libexec/sendmail/sendmail -bd -q5s
}
