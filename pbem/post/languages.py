"""What mail programs write into mails, in their users' languages: pieces of patterns, to be matched without case.

A new language is a word on each list; forms that hold in any language are in
`quoting`.
"""

from __future__ import annotations


def _either(words: str) -> str:
    """One pattern of a list of patterns, which commas and line ends separate."""
    return "|".join(word for line in words.strip().split("\n") for word in line.strip().rstrip(",").split(", "))


START = _either("on, am, le, el, il, op, em, den, på, dne, dnia, dňa, dana, w dniu, în, στις, pada, vào, la data")
"""How attributions begin, where they do so with a word."""

WROTE = _either(
    r"""
    wrote, writes, schrieb, a écrit, ha scritto, scrisse, escribi[oó], escreveu, schreef, geschreven, skrev, kirjoitti
    napisał\S{0,3}, napisana przez, pisze, napsala?(?:\(a\))?, píše, написала?(?:\(а\))?, пишет, ezt írta, írta, yazdı
    a scris, έγραψε, va escriure, je napisa(?:o|la), napísala?(?:\(a\))?, kirjutas, rakstīja, rašė, menulis, đã viết
    написа, написао, пише, كتبت?, نوشت, כתבה?, כתב/ה
    """
)
WROTE_UNSPACED = _either("写道, 寫道, 写了, のメール, さんは書きました, 작성, เขียน")
"""The same in languages that put no blanks between words."""

ORIGINAL = _either(
    r"""
    original message, original e-?mail, reply message, ursprüngliche (?:nachricht|mail), original-?nachricht
    message d'origine, message original, mensaje original, messaggio originale, oorspronkelijk bericht
    mensagem original, wiadomość oryginalna, oryginalna wiadomość, ursprungligt meddelande, oprindelig meddelelse
    opprinnelig melding, alkuperäinen viesti, исходное сообщение, původní zpráva, původní e-?mail, eredeti üzenet
    özgün ileti, 元のメッセージ, 原始邮件, 原邮件, 原始郵件, 원본 메일
    """
)
"""What stands between dashes above an original."""

EXCERPT = _either("excerpts? from, quoting, auszug aus, citat fra, citando a, citando, zitat von, citaat van")
"""How a line above a quotation begins that says of whom it is, and nothing of writing."""

FORWARDED = _either(
    r"""
    forwarded message, forwarded by .{1,60}, weitergeleitete nachricht, message transféré, courriel transféré
    mensaje reenviado, messaggio inoltrato, doorgestuurd bericht, mensagem encaminhada, mensagem reencaminhada
    wiadomość przekazana, przekazana wiadomość, przesłana wiadomość, vidarebefordrat (?:meddelande|brev)
    videresendt (?:besked|meddelelse|melding), välitetty viesti, пересылаемое (?:сообщение|письмо)
    přeposlaná zpráva, 転送(?:された)?メッセージ, 转发的?邮件(?:信息)?, 轉寄郵件, 전달된 메일
    """
)
"""What stands between dashes above a mail that is forwarded."""

FORWARDED_BELOW = _either(
    """
    begin forwarded message, anfang der weitergeleiteten nachricht, début du message réexpédié
    inizio messaggio inoltrato, inicio del mensaje reenviado, begin doorgestuurd bericht
    início da mensagem reencaminhada, vidarebefordrat mejl, påbegynd videresendt besked
    """
)
"""The same before a colon, as Apple writes it."""

FROM = _either(
    r"""
    from, von, de, da, van, från, fra, od, lähettäjä, от(?: кого)?, absender, expéditeur, remitente, mittente, afzender
    remetente, nadawca, avsändare, afsender, avsender, odesílatel, feladó, kimden, gönderen, từ
    差出人, 发件人, 寄件者, 寄件人, 보낸\s?사람
    """
)
OTHER_FIELDS = _either(
    """
    sent, date, to, cc, bcc, subject, reply-to, importance, attachments, gesendet, antwort an, wichtigkeit, anlagen
    datum, an, kopie, betreff, envoyé(?: le)?, à, objet, pour, sujet, message du, copie à, répondre à, date d'envoi
    enviado(?: el| em)?, enviados, enviada em, responder a, fecha, para, asunto, assunto, data, inviato, a, oggetto
    verzonden, aan, onderwerp
    wysłano, do, dw, temat, skickat, till, kopia, ämne, sendt, dato, til, emne, lähetetty, päiväys, vastaanottaja, aihe
    отправлено, дата, кому, тема, odesláno, komu, předmět, elküldve, dátum, címzett, tárgy, gönderildi, tarih, kime
    konu, 送信日時, 日時, 日付, 宛先, 件名, 发送时间, 日期, 时间, 收件人, 主题, 寄件日期, 收件者, 主旨
    보낸 날짜, 받는 사람, 제목
    """
)
"""Names of header fields, as programs translate them above an original."""

ADDED = _either(
    r"""
    sent (?:from|via|with|using)\s, get \[?outlook for\s, yahoo mail: search, virus-free, virenfrei
    this e-?mail has been checked for viruses, gesendet (?:von|mit|über)\s, von meinem.{1,40} gesendet
    diese nachricht wurde von meinem .{1,60} gesendet, outlook (?:für|voor|pour|para|per) (?:ios|android)
    envoyée? (?:de|avec|depuis|à partir)\s, (?:télécharger|obtenir|obtener|ottieni) outlook\s
    enviado (?:desde|do|a partir do|com|con)\s, inviato (?:da|dal|con)\s, skickat från\s
    (?:verzonden|verstuurd) (?:vanaf|met|via|vanuit)\s, sendt fra\s
    wysłan[eo] z\s, lähetetty\s, odesláno z\s, отправлено (?:с|из)\s, iphoneから送信
    odoslané z\s, надіслано (?:з|із)\s, відправлено (?:з|із)\s, στάλθηκε από, trimis de pe\s, poslano (?:z|s|sa)\s
    az iphone-omról küldve, (?:iphone|ipad)'?[uı]mdan gönderildi, đã gửi từ, dikirim dari, ส่งจาก, נשלח מ, أُ?رسلت? من
    (?:내|나의) (?:iphone|ipad)에서 보냄, 发自我的, 从我的, 從我的, .{0,40}\boutlook\b.{1,30}\b(?:ios|android)\b
    (?:ios|android) için outlook
    """
)
"""How the lines begin that telephones, web pages and virus scanners put below a mail."""
