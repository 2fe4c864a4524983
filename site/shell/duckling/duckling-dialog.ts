import { translateTexts } from '../../../data/model/locale-texts.ts';
import { askDuckling, judgeAnswer } from './ask-duckling.ts';
import type { DialogTexts } from './chat-elements.ts';
import { createChatHistory } from './chat-history.ts';
import styles from './duckling.css?inline';
import { createDuckling } from './duckling.ts';

/** Set by the build. */
declare const DUCKLING_TEXTS: DialogTexts;

const texts = translateTexts(DUCKLING_TEXTS);

// The styles load with the dialog, not on every page.
const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);
document.adoptedStyleSheets.push(sheet);

export const openDuckling = createDuckling({
  texts,
  history: createChatHistory(() => sessionStorage, texts.notKept),
  ask: askDuckling,
  judge: judgeAnswer,
});
