# Read by each driver, inside of the system, as the player `ann`. The mail to be answered is the only one in their inbox.
#
# A driver sets `package`, `needs` (other packages, where there are any) and `driven` (how), and defines `reply`, `forward`
# and `compose URL`, each of which sends one mail; a program that cannot do one of them leaves it out. Drafts are edited by
# `player`, which types what is asked for.
# `guess TOPIC WORDS` was written before the program was run for the first time; `tip WORDS` tells players what to do.

export EDITOR=/usr/local/bin/player VISUAL=/usr/local/bin/player
export TERM=screen LANG=C.UTF-8 NAME=Ann EMAIL=ann@pbem.test
guess() { :; }
tip() { :; }

printf 'account default\nhost 127.0.0.1\nport %s\ntls off\nauth off\nfrom ann@pbem.test\n' "$SMTP_PORT" >~/.msmtprc
chmod 600 ~/.msmtprc

fetch() { # copies the inbox into the Maildir ~/Mail/INBOX, for programs that read no IMAP
  mkdir -p ~/Mail/INBOX/{cur,new,tmp}
  printf '%s\n' "IMAPAccount a" "Host 127.0.0.1" "Port $IMAP_PORT" "User ann" "Pass ann-pw" "$(tls_off)" \
    "AuthMechs LOGIN" "" "IMAPStore far" "Account a" "" "MaildirStore near" "Path ~/Mail/" "Inbox ~/Mail/INBOX" "" \
    "Channel all" "Far :far:" "Near :near:" "Patterns INBOX" "Sync Pull" "Create Near" >~/.mbsyncrc
  mbsync -q all 2>>~/mbsync.err
}
tls_off() { if mbsync --version | grep -q ' 1\.[0-4]'; then echo "SSLType None"; else echo "TLSType None"; fi; }

terminal() { # COMMAND...: starts a program in a terminal of 100 columns and 50 lines
  tmux -f /dev/null new-session -d -x 100 -y 50 "$*"

}
keys() { tmux send-keys "$@" 2>/dev/null; sleep 0.4; }
screen() { tmux capture-pane -p "$@" 2>/dev/null; }
wait_for() { # PATTERN: waits until it is on the screen
  for _ in {1..30}; do
    if screen | grep -qE "$1"; then sleep 0.3; return; fi
    sleep 0.25
  done
  { echo "not seen: $1"; screen; } >&2
  exit 1
}
look() { screen >>~/screen; } # keeps what is shown now
leave() { # waits for the program's end
  for _ in {1..40}; do tmux has-session 2>/dev/null || return 0; sleep 0.25; done
  { echo "still running:"; screen; } >&2
}

window() { # COMMAND...: starts a program on a screen of its own
  export DISPLAY=:77
  mkdir -p /tmp/.X11-unix
  Xvfb $DISPLAY -screen 0 1000x800x24 -ac -nolisten tcp -nolisten local >~/xvfb 2>&1 &
  until [[ -e /tmp/.X11-unix/X77 ]]; do sleep 0.1; done
  "$@" >~/window 2>&1 &
}
quiet() { # [TENTHS]: waits until no process had anything to do for so long, or 20 s: they have taken what they were given
  local still=0
  for ((n = 0; n < 200 && still < ${1:-6}; n++)); do
    if cat /proc/[0-9]*/task/*/stat 2>/dev/null | grep -vE '\((cat|grep|bash)\)' | grep -q ') [RD] '; then still=0; else ((still += 1)); fi
    sleep 0.1
  done
}
seen() { # PATTERN: finds the newest window with such a name that is not the screen (whose number is small) and has a size
  at=
  for id in $(xdotool search --onlyvisible --name "$1" 2>/dev/null); do
    [[ $id -lt 65536 || $(xdotool getwindowgeometry "$id") =~ \ [0-9]?[0-9]x ]] || at=$id
  done
  [[ $at ]]
}
focus() { # PATTERN: waits for a window with such a name, to which keys go from then on
  for _ in {1..240}; do seen "$1" && break; sleep 0.5; done
  [[ $at ]] || { { echo "no window: $1, but:"; xdotool search --name . getwindowname %@; } >&2; exit 1; }
  quiet; xdotool windowfocus --sync "$at"; quiet
}
large() { focus "$1"; xdotool windowmove "$at" 0 0 windowsize "$at" 1000 800; quiet; } # the same over the whole screen
press() { xdotool key "$@"; quiet; }
click() { xdotool mousemove "$1" "$2" click "${@:3}" 1; quiet; } # X Y [OPTION]...
enter() { xdotool type --delay 20 "$1"; quiet; }
marked() { # [KEY]: prints all text of the field that has the focus
  xclip -selection clipboard </dev/null
  press "${1:-ctrl+a}"; press ctrl+c
  for _ in {1..20}; do
    timeout 5 xclip -selection clipboard -o 2>/dev/null | grep . && break
    sleep 0.5
  done
}
copy() { click "$1" "$2"; marked "${@:3}" >>~/screen; click "$1" "$2"; } # X Y [KEY]: keeps all text of the field at this place
edit() { # has the player change the text of the field that has the focus
  marked >~/draft
  player ~/draft
  xclip -selection clipboard <~/draft
  press ctrl+v
}
type_lines() { while IFS= read -r line; do enter "$line"; press Return; done <<<"$TYPED"; }
type_orders() { # types into the draft that has the focus what the case asks for; `free_line LINE` deletes its semicolon
  case $WAY in
    top) press ctrl+Home; type_lines; press Return ;;
    bottom) press ctrl+End; press Return; type_lines ;;
    form) while IFS= read -r line; do free_line "$line"; done <<<"$TYPED" ;;
  esac
}
mh_inbox() { # copies the inbox into the MH folder ~/Mail/inbox; prints the list of folders
  mkdir -p ~/Mail/{inbox,sent,draft,queue,trash}
  fetch
  cp ~/Mail/INBOX/*/* ~/Mail/inbox/1
  printf '%s\n' '<?xml version="1.0" encoding="UTF-8"?>' '<folderlist>' '<folder type="mh" name="Mail" path="Mail">'
  for folder in inbox:inbox outbox:sent draft:draft queue:queue trash:trash; do
    echo "<folderitem type=\"${folder%:*}\" name=\"${folder#*:}\" path=\"${folder#*:}\" />"
  done
  printf '%s\n' '</folder>' '</folderlist>'
}
