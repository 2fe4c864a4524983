import type { AskOutcome, Verdict } from './ask-duckling.ts';
import { answerItem, questionItem, removedItem, wordsItem } from './chat-elements.ts';
import type { ChatHistory, Turn } from './chat-history.ts';
import { createDucklingView } from './duckling-view.ts';
import type { DialogWords } from './duckling-words.ts';

/** Milliseconds between the sending of a question and the call, in which the visitor sees that it was taken. */
export const SEND_DELAY = 300;

export interface DucklingDependencies {
  readonly words: DialogWords;
  readonly history: ChatHistory;
  readonly ask: (message: string) => Promise<AskOutcome>;
  /** Answers whether the verdict was counted. */
  readonly judge: (source: string, verdict: Verdict) => Promise<boolean>;
}

/** A question that has no answer yet, or got none. It is shown, and kept nowhere. */
interface OpenQuestion {
  readonly text: string;
  readonly at: number;
  /** What is said in the place of an answer; null while one is awaited. */
  readonly failure: { readonly words: string; readonly at: number } | null;
}

/** A question as it is sent: the call takes one line. */
export function asOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Makes the chat. @returns what opens it, with a question filled in where one is given. */
export function createDuckling({
  words,
  history,
  ask,
  judge,
}: DucklingDependencies): (question?: string) => void {
  const { dialog, form, input, send, clear, log, list, status, offline, fill } = createDucklingView(words);
  let open: OpenQuestion | null = null;
  /** What the list shows; null where it must be drawn anew. */
  let shown: string | null = null;

  const isPending = () => open !== null && open.failure === null;

  function turnItems(turn: Turn): readonly HTMLElement[] {
    const { question, askedAt, answeredAt, answer, verdict } = turn;
    const count = async (given: Verdict) => {
      if (!(await judge(answer.source, given))) return false;
      const same = (one: Turn) => one.askedAt === askedAt && one.answeredAt === answeredAt;
      history.write(history.read().map((one) => (same(one) ? { ...one, verdict: given } : one)));
      shown = JSON.stringify(history.read());
      return true;
    };
    return [
      question === null ? removedItem(askedAt, words) : questionItem(question, askedAt, words),
      answerItem(answer, answeredAt, verdict, count, words),
    ];
  }

  /** Shows the last question at the top, so that a long answer is read from its beginning. */
  function scrollToLast(): void {
    const questions = list.querySelectorAll<HTMLElement>('.question');
    const last = questions[questions.length - 1];
    if (last) log.scrollTop = last.offsetTop - log.offsetTop - 12;
  }

  function drawState(): void {
    const isBusy = isPending();
    input.readOnly = isBusy;
    send.disabled = isBusy;
    clear.disabled = isBusy;
    clear.hidden = history.read().length === 0 && open === null;
    dialog.toggleAttribute('data-pending', isBusy);
    status.textContent = isBusy ? words.thinking : '';
  }

  /** What the list begins with, in place of all that it showed. */
  function drawAll(): void {
    const turns = history.read();
    list.replaceChildren(wordsItem(words.greeting, null, words), ...turns.flatMap(turnItems));
    shown = JSON.stringify(turns);
    if (open) list.append(questionItem(open.text, open.at, words));
    if (open?.failure) list.append(wordsItem(open.failure.words, open.failure.at, words));
    drawState();
    scrollToLast();
  }

  /** Another page of this tab may have gone on with the conversation. */
  function catchUp(): void {
    if (shown !== JSON.stringify(history.read())) drawAll();
  }

  /** Takes what stands for the open question, and what was said in the place of its answer, out of the list. */
  function dropOpen(): void {
    if (!open) return;
    if (open.failure) list.lastElementChild?.remove();
    list.lastElementChild?.remove();
    open = null;
  }

  function tellConnection(): void {
    offline.textContent = navigator.onLine ? '' : words.offline;
  }

  function failureWords(outcome: Exclude<AskOutcome, { readonly kind: 'answered' }>): string {
    switch (outcome.kind) {
      case 'empty':
        return words.empty;
      case 'refused':
        return outcome.words;
      case 'too-many':
        return words.tooMany;
      case 'offline':
        return words.notSent;
      case 'failed':
        return words.failed;
    }
  }

  function settle(question: string, askedAt: number, outcome: AskOutcome): void {
    const at = Date.now();
    if (outcome.kind === 'answered') {
      const { answer } = outcome;
      const kept = answer.kind === 'warning' ? null : question;
      const turn: Turn = { question: kept, askedAt, answeredAt: at, answer, verdict: null };
      const [asked, answered] = turnItems(turn);
      if (kept === null && asked) list.lastElementChild?.replaceWith(asked);
      open = null;
      history.write([...history.read(), turn]);
      shown = JSON.stringify(history.read());
      if (answered) list.append(answered);
    } else {
      const said = failureWords(outcome);
      open = { text: question, at: askedAt, failure: { words: said, at } };
      list.append(wordsItem(said, at, words));
      // What was typed is not lost with the connection.
      fill(question);
    }
    drawState();
    scrollToLast();
  }

  async function submit(): Promise<void> {
    const question = asOneLine(input.value);
    if (question === '' || isPending()) return;
    catchUp();
    dropOpen();
    const askedAt = Date.now();
    open = { text: question, at: askedAt, failure: null };
    list.append(questionItem(question, askedAt, words));
    fill('');
    drawState();
    scrollToLast();
    input.focus();
    await new Promise((resolve) => setTimeout(resolve, SEND_DELAY));
    settle(question, askedAt, await ask(question));
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  input.addEventListener('keydown', (event) => {
    // Enter that ends the composing of a character is not meant for the question.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void submit();
  });
  clear.addEventListener('click', () => {
    if (isPending()) return;
    open = null;
    history.write([]);
    drawAll();
    status.textContent = words.cleared;
    input.focus();
  });
  // A link to a place on the same page loads nothing that would close the dialog.
  list.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) dialog.close();
  });
  addEventListener('online', tellConnection);
  addEventListener('offline', tellConnection);
  // A page that comes back from the browser's memory.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && !isPending()) catchUp();
  });

  return (question) => {
    if (typeof question === 'string' && !isPending()) fill(question);
    // Another dialog is not covered: the day's terms least of all.
    if (dialog.open || document.querySelector('dialog:modal')) return;
    dialog.showModal();
    tellConnection();
    if (!isPending()) {
      catchUp();
      drawState();
    }
    scrollToLast();
  };
}
