import { plainText } from './tokenizer.ts';

export const REQUESTED_FIGURES = ['price', 'staked', 'stakers', 'vault', 'market-cap'] as const;
export type RequestedFigure = (typeof REQUESTED_FIGURES)[number];

/** Words that name neither a figure nor another subject. */
const NEUTRAL_WORDS = new Set(
  `a an the is are was be been of for in on at to by do does did what whats which how much many tell me show give please pls
  can could you i we us my your our now right current currently today moment present presently live latest actual actually
  just this that these there s hi hello hey and so one single 1 each per bd blackduck black duck token tokens coin coins
  crypto figure figures number amount total overall altogether sum all have has had get got would like want check
  exactly roughly about stand stands standing`.split(/\s+/),
);
const NOW =
  /\b(?:now|right now|current(?:ly)?|today|at the moment|at present|presently|live|latest|how (?:much|many)|number of|total|count|size)\b/;

interface Rule {
  readonly figure: RequestedFigure;
  /** The question must match. */
  readonly names: RegExp;
  /** Words that belong to this figure. Any other word makes it a different question. */
  readonly words: string;
  /** Whether the question must ask for the current value or for a number. */
  readonly needsNow?: true;
}

const RULES: readonly Rule[] = [
  {
    figure: 'market-cap',
    names: /\bmarket ?cap\b|\bmarket capitali[sz]ation\b|\bmcap\b/,
    words: 'market cap capitalization capitalisation marketcap mcap big',
  },
  {
    figure: 'price',
    names: /\b(?:price|worth|trading at|trades? at|cost|costs|value|quote|rate)\b/,
    words:
      'price prices worth trading trade trades at cost costs value valued quote quoted rate usd dollars dollar',
  },
  {
    figure: 'stakers',
    names: /\bstakers?\b|\b(?:people|wallets|holders|persons|users|members|participants|who)\b.*\bstak/,
    words:
      'staker stakers people wallets wallet holders persons users members participants stake stakes staking staked active count',
    needsNow: true,
  },
  {
    figure: 'staked',
    names: /\b(?:staked|stake|staking)\b/,
    words: 'staked stake stakes staking locked up',
    needsNow: true,
  },
  {
    figure: 'vault',
    names: /\bvault\b/,
    words:
      'vault balance hold holds held contain contains sit sits kept inside stored size big full value worth',
    needsNow: true,
  },
];
const BALANCE = /\bbalance\b/;
/** Matches questions about the visitor's own stake, which no total answers. */
const ABOUT_VISITOR =
  /\b(?:my|mine|i|me)\b.*\b(?:stake|staked|balance|lock)\b|\bcan i\b|\bdo i\b|\bmust i\b|\bto stake\b/;

/** Null if the message asks for anything other than a live figure. */
export function requestedFigure(message: string): RequestedFigure | null {
  const plain = plainText(message);
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (ABOUT_VISITOR.test(plain)) return null;
  const rule = RULES.find(({ names, words: figureWords, needsNow }) => {
    const isRequested = names.test(plain) && (!needsNow || NOW.test(plain) || BALANCE.test(plain));
    const allowed = new Set(figureWords.split(' '));
    return isRequested && words.every((word) => NEUTRAL_WORDS.has(word) || allowed.has(word));
  });
  return rule?.figure ?? null;
}

const ADDRESS = /(?<![1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{32,44}(?![1-9A-HJ-NP-Za-km-z])/;

/** The first wallet address in a message. */
export function requestedWallet(message: string): string | null {
  return ADDRESS.exec(message)?.[0] ?? null;
}

type SmallTalk = 'greeting' | 'thanks' | 'bye' | 'how';

const SMALL_TALK: readonly (readonly [SmallTalk, RegExp])[] = [
  [
    'how',
    /^(?:hi |hello |hey )?how are (?:you|u)(?: doing| today)?$|^(?:whats up|how is it going|hows it going)$/,
  ],
  [
    'greeting',
    /^(?:hi|hello|hey|yo|hiya|howdy|greetings|good (?:morning|day|afternoon|evening))(?: (?:there|duckling|all|everyone|team))?$/,
  ],
  [
    'thanks',
    /^(?:ok(?:ay)? )?(?:thanks|thank you|thx|ty|cheers|great|perfect|cool|nice)(?: (?:a lot|so much|very much|you|duckling|for (?:the|your) help|that helped))*$/,
  ],
  [
    'bye',
    /^(?:ok(?:ay)? )?(?:bye|goodbye|good night|see you|see ya|cya)(?: (?:duckling|later|soon|for now))?$/,
  ],
];

/** Null if the message says anything other than small talk. */
export function findSmallTalk(message: string): SmallTalk | null {
  const plain = plainText(message)
    .replaceAll(/[^\p{L}\p{N} ]+/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
  return SMALL_TALK.find(([, pattern]) => pattern.test(plain))?.[0] ?? null;
}
