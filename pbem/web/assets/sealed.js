import { island } from "./data.js";

const NONCE = 12;
const LENGTH = 4;
const WHERE = `pbem key ${location.pathname}`;

/**
 * @param {string} text base64, of either alphabet
 * @returns {Uint8Array<ArrayBuffer>}
 */
function bytesOf(text) {
  const signs = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(signs, (sign) => sign.charCodeAt(0));
}

/**
 * The key of the link. It is kept while the tab is open, for links inside the page take its place in the address.
 * @returns {string}
 */
function keyOf() {
  const given = location.hash.slice(1);
  if (/^[\w-]{43}$/.test(given)) {
    try {
      sessionStorage.setItem(WHERE, given);
    } catch {
      return given;
    }
    return given;
  }
  return sessionStorage.getItem(WHERE) || "";
}

/**
 * @param {Uint8Array<ArrayBuffer>} box
 * @param {string} key
 * @returns {Promise<string>}
 */
async function opened(box, key) {
  const cipher = { name: "AES-GCM", iv: box.slice(0, NONCE) };
  const secret = await crypto.subtle.importKey("raw", bytesOf(key), "AES-GCM", false, ["decrypt"]);
  const plain = await crypto.subtle.decrypt(cipher, secret, box.slice(NONCE));
  const length = new DataView(plain).getUint32(0);
  const packed = new Blob([plain.slice(LENGTH, LENGTH + length)]).stream();
  return new Response(packed.pipeThrough(new DecompressionStream("deflate"))).text();
}

async function open() {
  const key = keyOf();
  if (!key) return;
  try {
    const page = await opened(bytesOf(island("box")), key);
    document.open();
    document.write(page);
    document.close();
  } catch {
    const said = document.getElementById("said");
    if (said) said.textContent = "This link does not open the page: see that it is whole, as it stands in your mail.";
  }
}

open();
