# DragonFly Mail Agent, which listens at no port: a bridge hands it what is sent. It gives up after five
# days, which cannot be set: what is left in its queue is dated back.
package="dma"
guess back "at once, as plain text; of a delay, after five days, the same"

serve() {
  rm -rf /var/spool/dma/*
  printf '%s\n' "SMARTHOST 127.0.0.1" "PORT $FAR" "MAILNAME example.org" >/etc/dma/dma.conf
  touch /var/mail/orders; chown orders:mail /var/mail/orders
  while sleep 20; do find /var/spool/dma -name 'Q*' -exec touch --date="6 days ago" {} +; dma -q; done &
  python3 ~/bridge.py "$PORT" /usr/sbin/dma &
}
