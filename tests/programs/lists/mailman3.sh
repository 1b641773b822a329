# Mailman 3, with a prefix, a footer, and its own addresses in From and Reply-To: a bridge hands it what is sent.
package="mailman3 dbconfig-no-thanks"
guess sheet "counts: prefix and footer lie outside of ORDERS and END"
guess words "are left alone"
guess quoted "is left alone"
guess twice "counts once"
guess seat "reports reach the list; a reply counts, by the code in its subject"
guess letter "comes back as our own mail, and is left alone"
guess closed "a notice that it is held, which is not answered"
guess subscribe "a question, marked as automatic, which is not answered"
guess probe "is not answered"

serve() {
  rm -rf /var/lib/mailman3/* /run/mailman3 /etc/mailman.cfg
  mkdir -p /run/mailman3 /var/log/mailman3; chown -R list: /run/mailman3 /var/log/mailman3 /var/lib/mailman3
  sed -E "s/^incoming:.*/incoming: mailman.mta.null.NullMTA/; s/^smtp_host:.*/smtp_host: 127.0.0.1/; s/^smtp_port:.*/smtp_port: $FAR/
    s/^lmtp_host:.*/lmtp_host: 127.0.0.1/; s/^lmtp_port:.*/lmtp_port: $INNER/; s/^port: 8001/port: $REST/
    s/^site_owner:.*/site_owner: owner@example.net/" /etc/mailman3/mailman.cfg >/var/lib/mailman3/own.cfg
  printf '%s\n' "[dmarc]" "org_domain_data_url: file:///var/lib/mailman3/suffixes" >>/var/lib/mailman3/own.cfg # 3.3.8 needs it
  printf '%s\n' org net >/var/lib/mailman3/suffixes
  chown list: /var/lib/mailman3/own.cfg
  cat >/var/lib/mailman3/settings.py <<'PYTHON'
from email.message import Message

from mailman.app.bounces import send_probe
from mailman.config import config
from mailman.interfaces.mailinglist import DMARCMitigateAction, ReplyToMunging


def set_up(mlist):
    mlist.reply_goes_to_list = ReplyToMunging.point_to_list
    mlist.dmarc_mitigate_action = DMARCMitigateAction.munge_from
    mlist.dmarc_mitigate_unconditionally = True
    mlist.max_message_size = 1000
    config.db.commit()


def probe(mlist):
    send_probe(mlist.members.get_member("orders@example.org"), Message())
    config.db.commit()
PYTHON
  mm create --domain --owner owner@example.net club@lists.example.org
  mm create --domain --owner owner@example.net closed@lists.example.org
  printf '%s\n' ann@example.net bob@example.net orders@example.org | mm addmembers --no-welcome-msg - club@lists.example.org
  echo ann@example.net | mm addmembers --no-welcome-msg - closed@lists.example.org
  for name in club closed; do mm shell --run settings.set_up -l $name@lists.example.org; done
  mm start --force
  cat >/root/deliver <<SCRIPT
#!/bin/bash
if [[ \$4 == club+probe@* ]]; then
  exec runuser -u list -- env -C /var/lib/mailman3 PYTHONPATH=/var/lib/mailman3 /usr/lib/mailman3/bin/mailman -C own.cfg shell --run settings.probe -l club@lists.example.org
fi
exec python3 -c 'import smtplib, sys; smtplib.LMTP("127.0.0.1", $INNER).sendmail(sys.argv[1], sys.argv[2], sys.stdin.buffer.read().replace(b"\n", b"\r\n"))' "\$2" "\$4"
SCRIPT
  chmod 755 /root/deliver
  for _ in {1..100}; do ! (: >"/dev/tcp/127.0.0.1/$INNER") 2>/dev/null || break; sleep 0.3; done
  python3 ~/bridge.py "$PORT" /root/deliver &
}
mm() { runuser -u list -- env -C /var/lib/mailman3 PYTHONPATH=/var/lib/mailman3 /usr/lib/mailman3/bin/mailman -C own.cfg "$@"; }
