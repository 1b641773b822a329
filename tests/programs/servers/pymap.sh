# pymap, with a Maildir and a file of passwords of its own; Debian has no package of it. It moves its files there from TMPDIR.
package="python3-venv"
python="pymap==0.36.7"
guess can "MOVE, IDLE and UIDPLUS; tells no limit and no rights"
guess poll "2 messages, then none; Processed is a folder .Processed of the Maildir"

serve() {
  mkdir -p ~orders/Maildir/{cur,new,tmp}
  echo "orders:x::::Maildir:" >~orders/pymap-etc-passwd
  /opt/pymap/bin/python -c 'from pysasl.hashing import BuiltinHash; print("orders", BuiltinHash().hash("orders-pw"), *[""] * 7, sep=":")' >~orders/pymap-etc-shadow
  chown -R orders: ~orders
  runuser -u orders -- env TMPDIR=~orders /opt/pymap/bin/pymap --host 127.0.0.1 --port "$PORT" --no-tls maildir ~orders &
}
