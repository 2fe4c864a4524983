import { askDuckling, judgeAnswer } from './ask-duckling.ts';
import { createChatHistory } from './chat-history.ts';
import styles from './duckling.css?inline';
import { createDuckling } from './duckling.ts';
import type { DialogWords } from './duckling-words.ts';

/** Put in the place of its name by the build. */
declare const DUCKLING_WORDS: DialogWords;

// They come with the dialog: no page loads them before anyone opens it.
const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);
document.adoptedStyleSheets.push(sheet);

/** Opens the chat, with a question filled in where one is given. */
export const openDuckling = createDuckling({
  words: DUCKLING_WORDS,
  history: createChatHistory(() => sessionStorage),
  ask: askDuckling,
  judge: judgeAnswer,
});
