import { plainText } from './words.ts';

const NUMBERS = /\d+(?:[.,]\d+)*/g;
/** Addresses, links, marks and tags: none of them is the model's to give. */
const NOT_ITS_OWN = /https?:|www\.|\b0x[0-9a-f]{6,}|[1-9A-HJ-NP-Za-km-z]{32,}|<\/?[a-z]|\]\(|@[a-z]/i;
/** What nobody here says: advice, promises, requests for keys; and words of the rules that it was given. */
const NEVER_SAID = [
  /\byou (?:should|must|ought to|need to) (?:buy|sell|stake|invest|hold|lend)\b|\bi (?:recommend|advise|suggest)\b/,
  /\b(?:guaranteed|risk free|riskless|certain to|will (?:definitely|certainly|surely))\b/,
  /\b(?:send|give|tell|enter|share|type|provide|paste)\b.{0,30}\b(?:seed|recovery|mnemonic|private key|secret|passphrase|password)\b/,
  /\b(?:system prompt|my instructions|as an ai|material:|question:)\b|\bprice will\b|\bget rich\b|\bgreat investment\b/,
];
const CONTROL = /[\p{Cc}\p{Co}\p{Cn}\uFFFD]/u;
/** Allowed among what says no: "not guaranteed". */
const DENIED =
  /\b(?:not|never|no|nothing is|nor|isnt|arent|cannot be) (?:\w+ ){0,2}(?:guaranteed|certain to|risk free)\b/g;

/** Whether a model's words stay with what it was given: no number, address or link of its own, and nothing never said. */
export function isFaithful(answer: string, material: string): boolean {
  const given = new Set(material.match(NUMBERS) ?? []);
  const own = (answer.match(NUMBERS) ?? []).filter((number) => !given.has(number));
  if (own.length > 0 || NOT_ITS_OWN.test(answer) || CONTROL.test(answer.replaceAll(/[\n\t\r]/g, '')))
    return false;
  const plain = plainText(answer).replaceAll('-', ' ').replaceAll(DENIED, '');
  return !NEVER_SAID.some((pattern) => pattern.test(plain));
}
