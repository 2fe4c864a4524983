import { ed25519 } from '@noble/curves/ed25519';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import bs58 from 'bs58';
import { plainText } from './words.ts';

/** Words that seed phrases are made of (BIP-39, English). */
const SEED_WORDS = new Set(wordlist);
/** So many of them in a row are no sentence: English has a small word between every few of them that is none. */
const LONGEST_SENTENCE = 7;

/** A secret key of Solana: 32 bytes of seed, then the 32 of the public key that they give. */
const SECRET_KEY_BYTES = 64;
const SEED_BYTES = 32;
const BASE58_RUN = /[1-9A-HJ-NP-Za-km-z]{80,90}/g;
const HEX_RUN = /(?:^|[^0-9a-f])(?:0x)?(?:[0-9a-f]{64}|[0-9a-f]{128})(?![0-9a-f])/i;
/** A key as wallets' files have it: `[12,34,…]`. */
const BYTES_RUN = /\[?(?:\s*\d{1,3}\s*,){31,}\s*\d{1,3}\s*\]?/;
const CALLED_SECRET = /\b(?:private|secret) key\b|\b(?:seed|recovery|mnemonic|secret) ?(?:phrase|words)?\b/;

function hasSeedWords(text: string): boolean {
  let run = 0;
  for (const word of text.match(/\p{L}+/gu) ?? []) {
    run = SEED_WORDS.has(word) ? run + 1 : 0;
    if (run > LONGEST_SENTENCE) return true;
  }
  return false;
}

/** A signature of a transaction is as long as a secret key: only in a key does one half give the other. */
function isSecretKey(text: string): boolean {
  try {
    const bytes = bs58.decode(text);
    if (bytes.length !== SECRET_KEY_BYTES) return false;
    const publicKey = ed25519.getPublicKey(bytes.subarray(0, SEED_BYTES));
    return publicKey.every((byte, index) => byte === bytes[SEED_BYTES + index]);
  } catch {
    return false;
  }
}

/** Whether a message holds what opens a wallet: a seed phrase, or a private key in a form that wallets write. */
export function holdsSecret(message: string): boolean {
  const plain = plainText(message);
  const runs = message.match(BASE58_RUN) ?? [];
  const isCalledSecret = CALLED_SECRET.test(plain);
  return (
    hasSeedWords(plain) ||
    runs.some((run) => isCalledSecret || isSecretKey(run)) ||
    (isCalledSecret && HEX_RUN.test(message)) ||
    BYTES_RUN.test(message)
  );
}
