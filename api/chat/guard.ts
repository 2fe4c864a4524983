import { ed25519 } from '@noble/curves/ed25519';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import bs58 from 'bs58';
import { plainText } from '../../data/model/search/tokenizer.ts';

/** Why a message gets a fixed answer. */
export type Guard = 'secret' | 'keepSecret' | 'orders' | 'advice';

const SECRET_NOUN = '(?:seed|recovery|mnemonic|secret|backup) ?(?:phrase|words?)|private key|secret key|seed';

/**
 * Matches a message that offers a secret, asks the assistant to keep, check or request one, or says that someone asks for the
 * visitor's secret. In other languages, it matches any mention of a secret.
 */
const OFFERS_SECRET = [
  new RegExp(
    `\\b(?:keep|store|save|hold|guard|remember|take|check|validate|restore)\\b.{0,30}\\b(?:${SECRET_NOUN})\\b`,
  ),
  new RegExp(
    `\\b(?:here is|heres|this is|i(?:ll| will| can)? (?:send|give|paste|tell)) .{0,20}\\b(?:${SECRET_NOUN})\\b`,
  ),
  new RegExp(`\\bask (?:me|us|users?|them)\\b.{0,20}\\b(?:${SECRET_NOUN})\\b`),
  new RegExp(`\\bmy (?:${SECRET_NOUN}) (?:is|are)\\b`),
  new RegExp(
    `\\b(?:wants|wanted|needs|needed|asks|asked|asking|demands|requires|requested)\\b.{0,25}\\bmy\\b.{0,15}\\b(?:${SECRET_NOUN}|(?:12|24|twelve|twenty-?four) words)\\b`,
  ),
  /\bmy (?:12|15|18|21|24|twelve|fifteen|eighteen|twenty-?four) (?:secret |seed )?words\b/,
  /\bfrase (?:semilla|secreta)\b|\bclave privada\b|\bphrase (?:secrete|de recuperation)\b|\bcle privee\b/,
  /\bprivater? schlussel\b|\bwiederherstellungs(?:phrase|worter)\b|عبارة|المفتاح الخاص/,
];

/**
 * Matches a message that gives orders to the assistant, asks for private data or admin access, contains code or an Ethereum
 * address, or is about forgery or violence.
 */
const ORDERS = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:instructions?|rules?|prompts?|guidelines|above|previous|everything|restrictions)\b/,
  /\b(?:system|initial|hidden|developer) (?:prompt|message|instructions?|mode)\b/,
  /\byou are (?:now|no longer)\b|\b(?:pretend|act|behave|role ?play|imagine)\b.{0,15}\b(?:as|like|that|to be|you|being)\b/,
  /\bjailbreak|\bdan mode|\bdeveloper mode|\bno (?:rules|restrictions|filter)\b/,
  /^\s*(?:system|assistant|developer|admin)\s*:/,
  /\brepeat (?:after me|the following|this)\b|\bsay (?:exactly|that|after me)\b|(?<!\b(?:(?:do|does|did|will) (?:you|they|support|the team)|(?:i|we) dont) )\b(?:respond|reply|answer) (?:only )?with\b/,
  /\b(?:admin|root|database|api|server)s? (?:password|credentials?|login|token|key)\b/,
  // Does not match visitors who write that they send something themselves ("we need to send"). Also does not match "all my
  // applications" or "all the data you have about me".
  /\b(?:list|show|dump|export|print|reveal|(?<!\b(?:i|we) (?:(?:dont|have to|need to) )?)(?:give|send))\b(?:(?!\bmy\b).){0,30}\b(?:all|every|other|someones?|users?|customers?|members?|applicants?|applications|peoples?)\b(?:(?!\bmy\b).){0,30}\b(?:emails?|mails?|names?|data|applications|documents?|passports?|phone)\b(?!.{0,20}\babout me\b)/,
  /\b(?:show|give|tell|reveal|(?:what is|whats)(?! an?\b))\b(?!.{0,20}\b(?:my|again)\b).{0,20}\b(?:card numbers?|cvv|cvc)\b/,
  /\bfrom now on\b.{0,20}\b(?:answer|say|reply|you)\b|\banswer only\b/,
  /^(?!.*\bwhat (?:happens|if)\b).*\b(?:fake|forge|forged|photoshop|falsify)\b.{0,30}\b(?:bill|passport|documents?|id|identity|address|proof|signature)\b/,
  /(?:^|\b(?:please|pls|just|now|and|you) )approve (?:my|me|this)\b|\bmake me (?:an? )?admin\b|\bwhitelist (?:me|my)\b.{0,15}\b(?:now|immediately)\b/,
  /<\s*\/?\s*(?:script|img|iframe|svg|style|object)\b|\bjavascript:|\b(?:drop|delete|truncate|alter) (?:table|from|database)\b|\bunion select\b|\bselect \*/,
  /\b0x[0-9a-f]{40}\b/,
  /\b(?:olvid|ignor|oubli|vergiss|vergess|esquec|dimentic)\w*\b.{0,30}\b(?:instruc\w*|instruz\w*|reglas?|regeln?|regles?|consignes?|anweisung\w*|regras?|regole)\b|تجاهل.{0,20}تعليمات/,
  /\b(?:admin|root|staff) (?:area|panel|access|rights|dashboard|account|console|page|url)\b|\bas (?:an? |the )?admin\b/,
  /\.env\b|\/etc\/passwd|\benvironment variables?\b|\benv file\b/,
  /\b(?:i|we)(?: ?ll| will| am going to| are going to| gonna|m going to|m gonna)? (?:\w+ )?(?:kill|hurt|beat|stab|shoot|burn|bomb|smash)\b.{0,20}\b(?:you|your|u|ur|team|office|ceo|staff)\b/,
  /\b(?:come|coming|outside|at|to) (?:to )?your (?:office|house|home|building|door)\b.{0,20}\bwith .{0,15}\b(?:knife|gun|bat|weapon|friends|hammer|petrol)\b/,
];

const READ_VERBS =
  'show|list|dump|export|print|reveal|display|open|browse|download|fetch|view|see|read|get|have|leak|access|find|look at';
/** Matches a request. Does not match a question about what the portal does, such as "do you share" or "who sees". */
const DATA_REQUEST = new RegExp(
  [
    `^(?:(?:please|pls|hey|hi|hello|ok|now|and|so|just|duckling)\\W+)*(?:${READ_VERBS}|give|send|share|tell)\\b`,
    `\\b(?:can|could|would|will) you (?:please |pls )?(?:${READ_VERBS}|give|send|share|tell)\\b`,
    `\\b(?:let me|i (?:want|need|would like|wish|wanna|have)(?: to)?|(?:how|where) (?:do|can|could) i|(?:can|could|may) i) (?:${READ_VERBS})\\b`,
    String.raw`\b(?:zeig|gib|schick|muestra|ensena|dame|manda|montre|donne|envoie|mostra|mostre|dammi)\w*\b`,
  ].join('|'),
);
/** Matches a question about what the portal does with data ("tell me how you protect it"), not a request for the data. */
const ABOUT_DATA = new RegExp(
  `\\b(?:${READ_VERBS}|tell)(?: me| us)? (?:how|what|where|when|which|whether|why|if)\\b`,
);
const PEOPLE =
  '(?:people|peoples|someones?|somebodys?|everyones?|everybodys?|anyones?|others|users?|customers?|clients?|members?|applicants?|investors?|stakers?|cardholders?|neighbou?rs?|usuarios|clientes|otros|inversores|kunden|nutzer|benutzer|anleger|utilisateurs|investisseurs|clienti|altri)';
const PRIVATE_DATA =
  '(?:passports?|documents?|ids?|id cards?|identity cards?|utility bills?|uploads?|applications?|emails?|mails?|phone numbers?|phones?|home address(?:es)?|real names?|data|documentos?|correos?|datos|ausweise?|passe|passkopien|dokumente?|adressen|daten|donnees|documenti)';
/** Matches "users' emails", "emails of other users" and "documents that clients sent", but not "documents for investors". */
const OTHERS_DATA = new RegExp(
  [
    `\\b${PEOPLE} (?:(?:uploaded|private|personal|full|email) )?${PRIVATE_DATA}\\b`,
    `\\b${PRIVATE_DATA} (?:address(?:es)? )?(?:of|from|by|that|which|de|des|del|dei|di|von|der|anderer)\\b.{0,25}\\b${PEOPLE}\\b(?! support)`,
  ].join('|'),
);
const SCANS =
  /\b(?:passports|(?:passport|id|identity card) (?:copies|scans|photos|pictures|images|files|folder)|uploaded (?:documents|files|passports?|ids)|pasaportes|passeports|passaporti|passaportes)\b/;
/** Matches words about the visitor's own documents, or about which documents are accepted. */
const OWN_DOCUMENTS = /\b(?:my|mine|our|own|accept\w*|requir\w*|valid|needed)\b/;

const asksForOthersData = (plain: string): boolean =>
  DATA_REQUEST.test(plain) &&
  !ABOUT_DATA.test(plain) &&
  !OWN_DOCUMENTS.test(plain) &&
  (SCANS.test(plain) || OTHERS_DATA.test(plain));

/** Matches a message that asks how to do harm: a request for a method ("how do I", "best way"), followed by a harmful purpose. */
const MISUSE = new RegExp(
  [
    String.raw`\b(?:how (?:do|can|could|would) (?:i|we|one|you)|how to|(?:best|good|any) (?:way|card|trick)|trick to|way to|help me|teach me|show me how|want to|good for|best for)\b`,
    String.raw`\b(?:bypass|circumvent|evade|exploit|hack|steal|launder|hid(?:e|ing)(?! (?:the|this) (?:network )?status\b)|conceal(?:ing)?|impersonate|phish|ddos|brute ?force|forge|falsify)\b`,
  ].join('.{0,40}'),
);

/** Matches a message that asks for financial advice, a price prediction or a promise. */
const ADVICE = [
  /\bshould i (?:really |better |just |even |still |also )?(?:buy|sell|stake|unstake|invest|hold|put|lend|wait|get (?:in|out|more|bd|some|a card))\b/,
  /\bshould i\b.{0,20}\bnow\b/,
  /\b(?:good|bad|wise|smart|safe|great|best|worthwhile|right) (?:investment|buy|idea|time|moment|deal|bet)\b/,
  /\b(?:worth (?:it|buying|investing|staking|the risk))\b/,
  /\b(?:will|would|can|could|is|gonna|going to)\b.{0,30}\b(?:price|bd|token|coin|value|it|this)\b.{0,30}\b(?:go (?:up|down|higher|lower)|going (?:up|down)|rise|fall|drop|crash|moon|pump|dump|double|triple|explode|recover|reach|hit|be worth|increase|grow)\b/,
  /\b(?:price|market|bd) (?:prediction|forecast|target|outlook|expectations?)\b|\bpredict\b/,
  /\b(?:worth|price|value)\b.{0,25}\b(?:in (?:20\d\d|a year|\w+ (?:years|months|weeks))|next (?:week|month|year)|tomorrow|by (?:20\d\d|the end))\b/,
  /\b(?:how much|what amount|what share)\b.{0,15}\bshould\b/,
  /\b(?:guarantee|promise|assure|swear)\b.{0,20}\b(?:me|us|that|profit|returns?|gains?|you)\b|\b(?:can|do|will) you (?:guarantee|promise)\b|\bguarantees? (?:returns?|profits?)\b/,
  /\b(?:get|make|makes?|become|be) (?:me |us )?(?:rich|richer|richest|wealthy|a millionaire)\b|\brichest\b/,
  /\b\d+ ?x (?:my|gains?|profit|return)|\b\d+ ?% ?(?:profit|gain)\b/,
  /\b(?:recommend|advise|suggest)\b.{0,20}\b(?:me|buy|invest|stake|coin|token|tier)\b/,
];

/** Null if the assistant may answer the message from the portal's pages. */
export function findGuard(message: string): Guard | null {
  if (containsSecret(message)) return 'secret';
  const plain = plainText(message);
  const matches = (patterns: readonly RegExp[]) => patterns.some((pattern) => pattern.test(plain));
  if (matches(OFFERS_SECRET)) return 'keepSecret';
  if (matches(ORDERS) || asksForOthersData(plain) || MISUSE.test(plain)) return 'orders';
  return matches(ADVICE) ? 'advice' : null;
}

/** The English words that seed phrases consist of (BIP-39). */
const SEED_WORDS = new Set(wordlist);
/** A run of more seed words than this is a seed phrase. Ordinary sentences have small words in between. */
const MAX_WORDS_IN_SENTENCE = 7;

/** A Solana secret key: 32 bytes of seed, then the 32 bytes of its public key. */
const SECRET_KEY_BYTES = 64;
const SEED_BYTES = 32;
const BASE58_RUN = /[1-9A-HJ-NP-Za-km-z]{80,90}/g;
const HEX_RUN = /(?:^|[^0-9a-f])(?:0x)?(?:[0-9a-f]{64}|[0-9a-f]{128})(?![0-9a-f])/i;
/** Matches a wallet's key file: `[12,34,…]`. */
const BYTES_RUN = /\[?(?:\s*\d{1,3}\s*,){31,}\s*\d{1,3}\s*\]?/;
/** Matches the number of a payment card, followed by the word `CVV` (or the like) and the CVV. */
const CARD_AND_CVV = /(?:\d[ -]?){13,19}\D{0,30}\b(?:cvv|cvc|security code)\b\D{0,6}\d{3,4}\b/;
const SECRET_LABEL = /\b(?:private|secret) key\b|\b(?:seed|recovery|mnemonic|secret) ?(?:phrase|words)?\b/;

function hasSeedWords(text: string): boolean {
  let runLength = 0;
  for (const word of text.match(/\p{L}+/gu) ?? []) {
    runLength = SEED_WORDS.has(word) ? runLength + 1 : 0;
    if (runLength > MAX_WORDS_IN_SENTENCE) return true;
  }
  return false;
}

/** Whether the second half is the public key for the first half. That distinguishes a secret key from a signature. */
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

/** Whether a message contains a seed phrase, a private key in a format that wallets use, or a card number with its CVV. */
export function containsSecret(message: string): boolean {
  const plain = plainText(message);
  const runs = message.match(BASE58_RUN) ?? [];
  const isLabeledSecret = SECRET_LABEL.test(plain);
  return (
    hasSeedWords(plain) ||
    runs.some((run) => isLabeledSecret || isSecretKey(run)) ||
    (isLabeledSecret && HEX_RUN.test(message)) ||
    BYTES_RUN.test(message) ||
    CARD_AND_CVV.test(plain)
  );
}
