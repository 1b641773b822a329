# Sympa, with a prefix, a footer, and its own addresses in From and Reply-To: a bridge hands it what is sent.
package="sympa dbconfig-sqlite3"
preset="sympa sympa/dbconfig-install boolean true; sympa sympa/database-type select sqlite3; sympa sympa/listmaster string owner@example.net"
guess sheet "counts: prefix and footer lie outside of ORDERS and END"
guess words "are left alone"
guess quoted "is left alone"
guess twice "counts once"
guess seat "reports reach the list; a reply counts, by the code in its subject"
guess letter "comes back as our own mail, and is left alone"
guess closed "a refusal, marked as automatic, which is not answered"
guess subscribe "a question, marked as automatic, which is not answered"
guess probe "a notice, marked as automatic, which is not answered"

serve() {
  rm -rf /var/lib/sympa/list_data /var/spool/sympa /var/lib/sympa/sympa.sqlite
  mkdir -p /run/sympa /var/lib/sympa/list_data /etc/sympa /root/spool
  printf '#!/usr/bin/python3\nimport smtplib, sys\nargs = sys.argv[1:]\nsender = args[args.index("-f") + 1]\nto = args[args.index(sender) + 1 :]\nto = [each for each in to if "@" in each]\nwith smtplib.SMTP("127.0.0.1", %s) as smtp:\n    smtp.sendmail(sender, to, sys.stdin.buffer.read().replace(b"\\n", b"\\r\\n"))\n' "$FAR" >/usr/local/bin/sendmail-far
  chmod 755 /usr/local/bin/sendmail-far
  printf '%s\n' "domain lists.example.org" "listmaster owner@example.net" "lang en_US" "db_type SQLite" \
    "db_name /var/lib/sympa/sympa.sqlite" "sendmail /usr/local/bin/sendmail-far" "sendmail_aliases none" "log_level 0" \
    "wwsympa_url http://lists.example.org/" "create_list listmaster" >/etc/sympa/sympa/sympa.conf
  mkdir -p /var/spool/sympa; chown -R sympa: /var/lib/sympa /var/spool/sympa /run/sympa /etc/sympa
  runuser -u sympa -- /usr/lib/sympa/bin/sympa.pl --health_check
  a_list club ann@example.net bob@example.net orders@example.org; a_list closed ann@example.net
  for each in sympa_msg bulk task_manager bounced; do runuser -u sympa -- /usr/lib/sympa/bin/$each.pl; done
  cat >/root/deliver <<'SCRIPT'
#!/bin/bash
name=${4%%@*}; name=${name/%+subscribe/-subscribe}
if [[ $name == club+probe ]]; then # what its weekly task does
  exec runuser -u sympa -- perl -I/usr/share/sympa/lib -MConf -MSympa -MSympa::List -e '
    Conf::load();
    Sympa::send_notify_to_user(Sympa::List->new("club", "lists.example.org"), "auto_notify_bouncers", "orders\@example.org");'
fi
exec runuser -u sympa -- /usr/lib/sympa/bin/queue "$name@lists.example.org"
SCRIPT
  chmod 755 /root/deliver
  python3 ~/bridge.py "$PORT" /root/deliver &
}
a_list() { # NAME MEMBERS...
  local name=$1 folder=/var/lib/sympa/list_data/$1 sympa="runuser -u sympa -- /usr/lib/sympa/bin/sympa.pl"
  shift
  cat >"/tmp/$name.xml" <<XML
<?xml version="1.0" ?>
<list><listname>$name</listname><type>discussion_list</type><subject>$name</subject><description>x</description>
<status>open</status><language>en_US</language><topic>other</topic><owner multiple="1"><email>owner@example.net</email></owner></list>
XML
  $sympa create --input="/tmp/$name.xml" lists.example.org
  sed -i 's/^send .*/send private/; s/^subscribe .*/subscribe auth/' "$folder/config"
  printf '%s\n' "" "custom_subject $name" "" "reply_to_header" "value list" "apply forced" "" "dmarc_protection" "mode all" >>"$folder/config"
  [[ $name == closed ]] || printf '%s\n' "" "reject_mail_from_automates_feature off" >>"$folder/config"
  printf '%s\n' "-- " "The list $name" >"$folder/message_footer"
  rm -f "$folder/config.bin"; chown -R sympa: "$folder"
  printf '%s\n' "$@" | $sympa add "$name@lists.example.org"
}
