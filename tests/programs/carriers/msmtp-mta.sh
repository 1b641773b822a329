# msmtp has no queue: msmtpd answers with what the other server has said.
package="msmtp-mta msmtp"
guess back "nothing: what is refused is refused at once"

serve() {
  printf '%s\n' "account default" "host 127.0.0.1" "port $FAR" >/etc/msmtprc
  msmtpd --interface=127.0.0.1 --port="$PORT" --command='/usr/bin/msmtp -f %F --' &
}
