import { plainText } from './words.ts';

/** Figures that a question may be about. */
export const ASKED_FIGURES = ['price', 'staked', 'stakers', 'vault', 'market-cap'] as const;
export type AskedFigure = (typeof ASKED_FIGURES)[number];

/** Words that say nothing of which figure, nor of anything else. */
const EMPTY = new Set(
  `a an the is are was be been of for in on at to by do does did what whats which how much many tell me show give please pls
  can could you i we us my your our now right current currently today moment present presently live latest actual actually
  just this that these there s hi hello hey and so one single 1 each per bd blackduck black duck token tokens coin coins
  crypto figure figures number amount total overall altogether sum all have has had get got would like want check
  exactly roughly about stand stands standing`.split(/\s+/),
);
const NOW =
  /\b(?:now|right now|current(?:ly)?|today|at the moment|at present|presently|live|latest|how (?:much|many)|number of|total|count|size)\b/;

interface Rule {
  readonly figure: AskedFigure;
  /** What has to be said. */
  readonly says: RegExp;
  /** Words that belong to it: anything else makes it another question. */
  readonly words: readonly string[];
  /** Whether it counts only where it is asked as of now, or for a number. */
  readonly asNow?: true;
}

const RULES: readonly Rule[] = [
  {
    figure: 'market-cap',
    says: /\bmarket ?cap\b|\bmarket capitali[sz]ation\b|\bmcap\b/,
    words: ['market', 'cap', 'capitalization', 'capitalisation', 'marketcap', 'mcap', 'big'],
  },
  {
    figure: 'price',
    says: /\b(?:price|worth|trading at|trades? at|cost|costs|value|quote|rate)\b/,
    words:
      'price prices worth trading trade trades at cost costs value valued quote quoted rate usd dollars dollar'.split(
        ' ',
      ),
  },
  {
    figure: 'stakers',
    says: /\bstakers?\b|\b(?:people|wallets|holders|persons|users|members|participants|who)\b.*\bstak/,
    words:
      'staker stakers people wallets wallet holders persons users members participants stake stakes staking staked active count'.split(
        ' ',
      ),
    asNow: true,
  },
  {
    figure: 'staked',
    says: /\b(?:staked|stake|staking)\b/,
    words: 'staked stake stakes staking locked up'.split(' '),
    asNow: true,
  },
  {
    figure: 'vault',
    says: /\bvault\b/,
    words:
      'vault balance hold holds held contain contains sit sits kept inside stored size big full value worth'.split(
        ' ',
      ),
    asNow: true,
  },
];
const BALANCE = /\bbalance\b/;
/** A person's own, which no figure of all tells. */
const OWN =
  /\b(?:my|mine|i|me)\b.*\b(?:stake|staked|balance|lock)\b|\bcan i\b|\bdo i\b|\bmust i\b|\bto stake\b/;

/** The live figure that a question asks for and nothing else; null where it is another question. */
export function askedFigure(message: string): AskedFigure | null {
  const plain = plainText(message);
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (OWN.test(plain)) return null;
  const rule = RULES.find(({ says, words: own, asNow }) => {
    const isAsked = says.test(plain) && (!asNow || NOW.test(plain) || BALANCE.test(plain));
    return isAsked && words.every((word) => EMPTY.has(word) || own.includes(word));
  });
  return rule?.figure ?? null;
}

const ADDRESS = /(?<![1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{32,44}(?![1-9A-HJ-NP-Za-km-z])/;

/** The wallet address that a message names; null where it names none. */
export function askedWallet(message: string): string | null {
  return ADDRESS.exec(message)?.[0] ?? null;
}
