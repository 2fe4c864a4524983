import { plainText } from '../../data/model/search/tokenizer.ts';

export const REQUESTED_FIGURES = [
  'price',
  'change',
  'volume',
  'liquidity',
  'market-cap',
  'staked',
  'stakers',
  'staking-ratio',
  'participation',
  'holders',
  'vault',
  'reduced-supply',
] as const;
export type RequestedFigure = (typeof REQUESTED_FIGURES)[number];

const ADDRESS = /(?<![1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{32,44}(?![1-9A-HJ-NP-Za-km-z])/;

export function findWalletAddress(message: string): string | null {
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
