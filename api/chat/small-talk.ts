import { plainText } from './words.ts';

export type SmallTalk = 'greeting' | 'thanks' | 'bye' | 'how';

const TALK: readonly (readonly [SmallTalk, RegExp])[] = [
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

/** What kind of small talk a message is, and nothing else; null where it is more. */
export function smallTalkOf(message: string): SmallTalk | null {
  const plain = plainText(message)
    .replaceAll(/[^\p{L}\p{N} ]+/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
  return TALK.find(([, pattern]) => pattern.test(plain))?.[0] ?? null;
}
