# Emacs with Gnus, without a window: the mail in a Maildir, the draft changed by the player, no setting but the account.
package=emacs-nox
driven="Lisp, Maildir"
tip '`R` in the list of mails, orders at the top, `C-c C-c`. The button: `M-x message-mailto`'
guess shown "the HTML part, drawn as text"
guess quotes "> "
guess lines "as they were"
guess to "Reply-To"
guess button "the whole draft"
guess forward "the text between two lines of dashes"

begin() { # LISP: what is done in the list of mails, the first of which is chosen
  fetch
  cat >~/.emacs <<LISP
(setq gnus-select-method '(nnmaildir "mail" (directory "~/Mail"))
      shr-use-fonts nil ; else HTML is as wide as the window, which has ten columns where there is none
      gnus-agent nil gnus-novice-user nil gnus-interactive-exit nil gnus-verbose 3)
LISP
  cat >>~/.emacs <<'LISP'
(setq user-full-name "Ann" user-mail-address "ann@pbem.test" gnus-message-highlight-citation nil inhibit-startup-screen t create-lockfiles nil
      send-mail-function 'sendmail-send-it message-send-mail-function 'message-send-mail-with-sendmail
      sendmail-program "/usr/bin/msmtp" message-sendmail-f-is-evil t message-confirm-send nil)
(defun play ()
  (let ((file (make-temp-file "draft")) (coding-system-for-write 'utf-8) (coding-system-for-read 'utf-8))
    (write-region nil nil file nil 'silent)
    (call-process "/usr/local/bin/player" nil nil nil file)
    (insert-file-contents file nil nil nil t)
    (message-send)))
(defun open-mail ()
  (require 'gnus)
  (gnus)
  (gnus-group-read-group 10 t "INBOX")
  (gnus-summary-goto-article (gnus-summary-article-number))
  (with-current-buffer gnus-article-buffer
    (append-to-file (point-min) (point-max) "~/screen")))
LISP
  timeout 40 emacs --batch -l ~/.emacs --eval "$1" >emacs.log 2>&1 || cat emacs.log
}
reply() { begin "(progn (open-mail) (gnus-summary-reply-with-original 1) (play))"; }
forward() { begin "(progn (open-mail) (gnus-summary-mail-forward) (message-goto-to) (insert \"$ORDERS\") (play))"; }
compose() { begin "(progn (require 'message) (message-mailto \"$1\") (play))"; }
