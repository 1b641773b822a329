# DragonFly Mail Agent, which listens at no port: a bridge hands it what is sent.
package="dma"
guess back "at once, as plain text"

serve() {
  rm -rf /var/spool/dma/*
  printf '%s\n' "SMARTHOST 127.0.0.1" "PORT $FAR" "MAILNAME example.org" >/etc/dma/dma.conf
  touch /var/mail/orders; chown orders:mail /var/mail/orders
  python3 ~/bridge.py "$PORT" /usr/sbin/dma &
}
