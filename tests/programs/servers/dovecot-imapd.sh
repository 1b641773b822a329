# Dovecot as Debian sets it up: an inbox that is one file (mbox), passwords by PAM.
package=dovecot-imapd
guess can "MOVE, IDLE; tells no limit and no rights"
guess poll "2 messages, then none; Processed is a file in ~/mail"

serve() {
  mkdir -p /run/dovecot
  printf '%s\n' "listen = 127.0.0.1" "auth_allow_cleartext = yes" "disable_plaintext_auth = no" \
    "service imap-login {" "  inet_listener imap {" "    port = $PORT" "  }" "  inet_listener imaps {" "    port = 0" "  }" "}" \
    >/etc/dovecot/local.conf
  case $(dovecot --version) in 2.3*) sed -i /auth_allow/d /etc/dovecot/local.conf ;; *) sed -i /disable_plain/d /etc/dovecot/local.conf ;; esac
  touch /var/mail/orders; chown orders:mail /var/mail/orders
  dovecot
}
