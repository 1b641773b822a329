# Courier, with Maildirs, which warns of a delay after ten seconds, and gives up after 40.
package=courier-mta
guess back "at once, as multipart/report; of a delay, as multipart/report with the action delayed"

serve() {
  mkdir -p ~orders/Maildir/{cur,new,tmp} /run/courier/authdaemon; chown -R orders: ~orders; chown courier: /run/courier
  echo mx.example.org >/etc/courier/me
  printf '%s\n' localhost example.org >/etc/courier/locals
  echo ":[127.0.0.1],$FAR /SECURITY=NONE" >/etc/courier/esmtproutes
  sed -i "s/^PORT=.*/PORT=$PORT/; s/^ADDRESS=.*/ADDRESS=127.0.0.1/; s/^BOFHCHECKDNS=.*/BOFHCHECKDNS=0/; s/^ESMTPDSTART=.*/ESMTPDSTART=YES/" /etc/courier/esmtpd
  printf '127.0.0.1\tallow,RELAYCLIENT\n' >/etc/courier/smtpaccess/default; makesmtpaccess
  sed -i 's|^DEFAULTDELIVERY=.*|DEFAULTDELIVERY=./Maildir|' /etc/courier/courierd
  echo 10s >/etc/courier/warntime; echo 40s >/etc/courier/queuetime
  echo 5s >/etc/courier/retryalpha; echo 5s >/etc/courier/retrygamma; echo 0s >/etc/courier/esmtpdelay
  rm -rf /var/lib/courier/msgs/* /var/lib/courier/msgq/*; makealiases
  authdaemond start
  /usr/sbin/courier start; esmtpd start
}
