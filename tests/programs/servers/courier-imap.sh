# Courier, with a Maildir, passwords by PAM.
package=courier-imap
guess can "IDLE and UIDPLUS, no MOVE"

serve() {
  mkdir -p ~orders/Maildir/{cur,new,tmp} /run/courier/authdaemon
  chown -R orders: ~orders
  sed -i "s/^PORT=.*/PORT=$PORT/; s/^ADDRESS=.*/ADDRESS=127.0.0.1/" /etc/courier/imapd
  authdaemond start
  /usr/lib/courier/imapd start
}
