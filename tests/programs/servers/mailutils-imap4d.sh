# GNU Mailutils, with an inbox that is one file (mbox), passwords by PAM.
package=mailutils-imap4d
guess can "IDLE and UIDPLUS, no MOVE; tells no limit and no rights"
guess poll "2 messages, then none; Processed is a file in the home folder"

serve() {
  printf '%s\n' "server 127.0.0.1:$PORT {" "  acl { allow any; }" "}" "mode daemon;" "login-disabled no;" \
    >/etc/mailutils.conf
  touch /var/mail/orders; chown orders:mail /var/mail/orders
  /usr/sbin/imap4d --no-config --config-file=/etc/mailutils.conf --daemon
}
