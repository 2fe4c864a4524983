import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import type { AskOutcome, Verdict } from './ask-duckling.ts';
import { answerItem, type DialogTexts, messageItem, questionItem } from './chat-elements.ts';
import type { ChatHistory, Turn } from './chat-history.ts';
import { createDucklingView } from './duckling-view.ts';

/** Milliseconds between submitting a question and the API call, so that the visitor first sees the question in the list. */
export const SEND_DELAY_MS = 300;

interface DucklingContext {
  readonly texts: DialogTexts;
  readonly history: ChatHistory;
  /** `earlier`: the visitor's previous questions, latest first. */
  readonly ask: (message: string, earlier: readonly string[]) => Promise<AskOutcome>;
  /** Sends the visitor's verdict on whether an answer helped. Resolves to whether the server counted the verdict. */
  readonly judge: (source: string, verdict: Verdict) => Promise<boolean>;
}

/** A question that has no answer yet. It is shown but not stored. */
interface OpenQuestion {
  readonly text: string;
  readonly at: number;
  /** Null while an answer is pending. */
  readonly failure: { readonly message: string; readonly at: number } | null;
}

/** Recent questions, latest first: the context of a short question. Older questions are probably about something else. */
function recentQuestions(turns: readonly Turn[], now: number): readonly string[] {
  return turns
    .filter(({ askedAt }) => now - askedAt < PORTAL_LIMITS.chatEarlierMinutes * 60_000)
    .flatMap(({ question }) => (question === null ? [] : [question]))
    .slice(-PORTAL_LIMITS.chatEarlierQuestions)
    .reverse();
}

/** @returns a function that opens the chat, optionally with a question filled in */
export function createDuckling({ texts, history, ask, judge }: DucklingContext): (question?: string) => void {
  const {
    dialog,
    form,
    input,
    send: sendButton,
    clear: clearButton,
    log,
    list,
    status,
    offlineNotice,
    fill: fillInput,
  } = createDucklingView(texts);
  let openQuestion: OpenQuestion | null = null;
  /** The turns that the list shows, as JSON; null before the list is first drawn. */
  let shownTurnsJson: string | null = null;

  const isPending = () => openQuestion !== null && openQuestion.failure === null;

  function turnItems(turn: Turn): readonly HTMLElement[] {
    const { question, askedAt, answeredAt, answer } = turn;
    const countVerdict = async (verdict: Verdict) => {
      if (!(await judge(answer.source, verdict))) return false;
      const isSameTurn = (one: Turn) => one.askedAt === askedAt && one.answeredAt === answeredAt;
      history.write(history.read().map((one) => (isSameTurn(one) ? { ...one, verdict } : one)));
      shownTurnsJson = JSON.stringify(history.read());
      return true;
    };
    const askClosest = (closestQuestion: string) => {
      fillInput(closestQuestion);
      void submit();
    };
    return [
      questionItem(question, askedAt, texts),
      answerItem(turn, { judge: countVerdict, ask: askClosest }, texts),
    ];
  }

  /** Scrolls the last question to the top, so that the start of a long answer is visible. */
  function scrollToLastQuestion(): void {
    const last = [...list.querySelectorAll<HTMLElement>('.question')].at(-1);
    if (last) log.scrollTop = last.offsetTop - log.offsetTop - 12;
  }

  function drawState(): void {
    const isBusy = isPending();
    input.readOnly = isBusy;
    sendButton.disabled = isBusy;
    clearButton.disabled = isBusy;
    clearButton.hidden = history.read().length === 0 && openQuestion === null;
    dialog.toggleAttribute('data-pending', isBusy);
    status.textContent = isBusy ? texts.thinking : '';
  }

  function drawAll(): void {
    const turns = history.read();
    list.replaceChildren(messageItem(texts.greeting, null, texts), ...turns.flatMap(turnItems));
    shownTurnsJson = JSON.stringify(turns);
    if (openQuestion) list.append(questionItem(openQuestion.text, openQuestion.at, texts));
    if (openQuestion?.failure)
      list.append(messageItem(openQuestion.failure.message, openQuestion.failure.at, texts));
    drawState();
    scrollToLastQuestion();
  }

  /** Redraws the chat if another page in this tab has continued the conversation. */
  function redrawIfChanged(): void {
    if (shownTurnsJson !== JSON.stringify(history.read())) drawAll();
  }

  function removeOpenQuestion(): void {
    if (!openQuestion) return;
    if (openQuestion.failure) list.lastElementChild?.remove();
    list.lastElementChild?.remove();
    openQuestion = null;
  }

  function showConnection(): void {
    offlineNotice.textContent = navigator.onLine ? '' : texts.offline;
  }

  const failureMessages = {
    empty: texts.empty,
    'too-many': texts.tooMany,
    offline: texts.notSent,
    failed: texts.failed,
  };

  function showOutcome(question: string, askedAt: number, outcome: AskOutcome): void {
    const at = Date.now();
    if (outcome.kind === 'answered') {
      const { answer } = outcome;
      const safeQuestion = answer.kind === 'warning' ? null : question;
      const turn: Turn = { question: safeQuestion, askedAt, answeredAt: at, answer, verdict: null };
      const [questionElement, answerElement] = turnItems(turn);
      if (safeQuestion === null && questionElement) list.lastElementChild?.replaceWith(questionElement);
      openQuestion = null;
      history.write([...history.read(), turn]);
      shownTurnsJson = JSON.stringify(history.read());
      if (answerElement) list.append(answerElement);
    } else {
      const message = outcome.kind === 'rejected' ? outcome.message : failureMessages[outcome.kind];
      openQuestion = { text: question, at: askedAt, failure: { message, at } };
      list.append(messageItem(message, at, texts));
      fillInput(question);
    }
    drawState();
    scrollToLastQuestion();
  }

  async function submit(): Promise<void> {
    // The API expects a single line.
    const question = input.value.replace(/\s+/g, ' ').trim();
    if (question === '' || isPending()) return;
    redrawIfChanged();
    removeOpenQuestion();
    const askedAt = Date.now();
    openQuestion = { text: question, at: askedAt, failure: null };
    list.append(questionItem(question, askedAt, texts));
    fillInput('');
    drawState();
    scrollToLastQuestion();
    input.focus();
    await new Promise((resolve) => setTimeout(resolve, SEND_DELAY_MS));
    showOutcome(question, askedAt, await ask(question, recentQuestions(history.read(), askedAt)));
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  input.addEventListener('keydown', (event) => {
    // While an input method is composing a character, Enter only confirms the character.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void submit();
  });
  clearButton.addEventListener('click', () => {
    if (isPending()) return;
    openQuestion = null;
    history.write([]);
    drawAll();
    status.textContent = texts.cleared;
    input.focus();
  });
  // A link within the current page does not load a new page, so the dialog must be closed here.
  list.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) dialog.close();
  });
  addEventListener('online', showConnection);
  addEventListener('offline', showConnection);
  // A page from the back-forward cache may show an older conversation.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && !isPending()) redrawIfChanged();
  });

  return (question) => {
    if (typeof question === 'string' && !isPending()) fillInput(question);
    // Does not open over another dialog, such as the daily terms.
    if (dialog.open || document.querySelector('dialog:modal')) return;
    dialog.showModal();
    showConnection();
    if (!isPending()) {
      redrawIfChanged();
      drawState();
    }
    scrollToLastQuestion();
  };
}
