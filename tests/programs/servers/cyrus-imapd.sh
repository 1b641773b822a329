# Cyrus, which makes the inbox at the first login, with a quota of 100 MB; passwords by saslauthd.
package="cyrus-imapd sasl2-bin libsasl2-modules"
guess can "MOVE, IDLE, UIDPLUS, ACL, and a limit of room"
guess poll "2 messages, then none; Processed lies below INBOX"

serve() {
  mkdir -p /run/cyrus/{lock,proc,socket} /run/saslauthd /var/lib/cyrus /var/spool/cyrus/mail
  rm -rf /var/lib/cyrus/* /var/spool/cyrus/mail/*
  printf '%s\n' "configdirectory: /var/lib/cyrus" "partition-default: /var/spool/cyrus/mail" "servername: mx.example.org" \
    "proc_path: /run/cyrus/proc" "mboxname_lockpath: /run/cyrus/lock" "allowplaintext: yes" "admins: cyrus" \
    "sasl_pwcheck_method: saslauthd" "sasl_mech_list: PLAIN" "autocreate_quota: 102400" >/etc/imapd.conf
  printf '%s\n' "START {" "  recover cmd=\"/usr/sbin/cyrus ctl_cyrusdb -r\"" "}" "SERVICES {" \
    "  imap cmd=\"imapd -U 30\" listen=\"127.0.0.1:$PORT\" prefork=0" "}" "EVENTS {" "}" >/etc/cyrus.conf
  chown -R cyrus:mail /run/cyrus /var/lib/cyrus /var/spool/cyrus
  saslauthd -a shadow -m /run/saslauthd
  chmod 755 /run/saslauthd
  /usr/sbin/cyrmaster -d
}
