# mlmmj, with a prefix, a footer and a Reply-To of the list: a bridge hands it what is sent.
package="mlmmj"
guess sheet "counts: prefix and footer lie outside of ORDERS and END"
guess words "are left alone"
guess quoted "is left alone"
guess twice "counts once"
guess seat "reports reach the list; a reply counts, by the code in its subject"
guess letter "comes back as our own mail, and is left alone"
guess closed "a refusal, which is not answered"
guess subscribe "a question, marked as automatic, which is not answered"
guess probe "is not answered"

serve() {
  rm -rf /var/spool/mlmmj
  a_list club $'ann@example.net\nbob@example.net\norders@example.org'; a_list closed ann@example.net
  cat >/root/deliver <<'SCRIPT'
#!/bin/bash
list=${4%%@*}; name=${list%%+*}; extension=${list#"$name"}
if [[ $extension == +probe ]]; then exec /usr/bin/mlmmj-bounce -L "/var/spool/mlmmj/$name" -a orders=example.org -p; fi
exec /usr/bin/mlmmj-receive -F -L "/var/spool/mlmmj/$name" -s "$2" ${extension:+-e "${extension#+}"}
SCRIPT
  chmod 755 /root/deliver
  python3 ~/bridge.py "$PORT" /root/deliver &
}
a_list() { # NAME MEMBERS
  local folder=/var/spool/mlmmj/$1
  mkdir -p "$folder"/{incoming,queue/discarded,archive,text,subconf,unsubconf,bounce,control,moderation,subscribers.d,digesters.d,requeue,nomailsubs.d}
  cp -r /usr/share/mlmmj/text.skel/en/* "$folder/text/"
  cd "$folder/control"
  echo "$1@lists.example.org" >listaddress; echo "owner@example.net" >owner
  echo 127.0.0.1 >relayhost; echo "$FAR" >smtpport; echo + >delimiter; touch subonlypost
  echo "[$1]" >prefix; printf '%s\n' "-- " "The list $1. To leave it: $1+unsubscribe@lists.example.org" >footer
  printf '%s\n' "Reply-To: $1@lists.example.org" "List-Id: <$1.lists.example.org>" >customheaders
  echo "Reply-To:" >delheaders
  echo "$2" >"$folder/subscribers.d/a"
  cd
}
