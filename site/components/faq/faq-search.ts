import { fold, foldQuery, type Match, questionSearch } from './question-search.ts';

/** From `content/duckling/synonyms.yaml`: words with the same meaning in each line. Set by the build. */
declare const FAQ_SYNONYMS: string;

/** A question, read from the page so that the search works offline. */
interface Question {
  readonly element: HTMLDetailsElement;
  readonly nodes: readonly Text[];
  /** The folded text of all nodes. */
  readonly folded: string;
  /** The length of the question in `folded`. The rest is the answer. */
  readonly questionLength: number;
}

const HIGHLIGHT = 'found';
/** The first question that is shown. */
const FIRST_FOUND =
  ':is([data-faq-category], [data-faq-close])[open]:not([hidden]) > details:not([hidden]) > summary';

function textNodes(root: Node): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  return nodes;
}

function readQuestion(element: HTMLDetailsElement): Question {
  const nodes = textNodes(element);
  const folded = fold(nodes.map(({ data }) => data).join(''));
  return {
    element,
    nodes,
    folded,
    questionLength: element.querySelector('summary')?.textContent.length ?? 0,
  };
}

function readCategory(element: HTMLDetailsElement) {
  const link = document.querySelector(`[data-faq-index] a[href="#${element.id}"]`);
  return {
    element,
    count: element.querySelector('[data-faq-count]'),
    indexLink: link,
    indexCount: link?.querySelector('span'),
    startsOpen: element.open,
    questions: [...element.querySelectorAll('details')].map(readQuestion),
  };
}

/** DOM ranges of matches, which can span several nodes. */
function rangesOf({ nodes }: Question, matches: readonly Match[]): Range[] {
  return matches.map(([start, end]) => {
    const range = new Range();
    let passed = 0;
    for (const node of nodes) {
      const [from, to] = [start - passed, end - passed];
      if (from >= 0 && from < node.length) range.setStart(node, from);
      if (to > 0 && to <= node.length) range.setEnd(node, to);
      passed += node.length;
    }
    return range;
  });
}

function questionCountText(count: number): string {
  return count === 1 ? '1 question' : `${count} questions`;
}

/** Starts the search in its field. */
export function startFaqSearch(input: HTMLInputElement): void {
  const shown = document.querySelector('[data-faq-search] output');
  const none = document.querySelector<HTMLElement>('[data-faq-none]');
  const close = document.querySelector<HTMLDetailsElement>('[data-faq-close]');
  const closeCount = close?.querySelector('[data-faq-count]');
  if (!shown || !none || !close) return;
  const categories = [...document.querySelectorAll<HTMLDetailsElement>('[data-faq-category]')].map(
    readCategory,
  );
  const all = categories.flatMap(({ questions }) => questions);
  const synonyms = FAQ_SYNONYMS.split('\n').map((line) => line.split(' '));
  const find = questionSearch(
    all.map(({ folded }) => folded),
    synonyms,
  );

  const search = () => {
    const query = foldQuery(input.value);
    const found = new Map(find(query).map((result, index) => [all[index], result]));
    const isShown = (question: Question) => query === '' || found.get(question)?.isExact === true;
    const similar = all.filter((question) => found.get(question)?.isExact === false);
    for (const question of all) {
      const matches = found.get(question)?.matches ?? [];
      question.element.hidden = query !== '' && matches.length === 0;
      // A closed question would hide a match that is only in its answer.
      question.element.open =
        matches.length > 0 && matches.every(([start]) => start >= question.questionLength);
    }
    for (const { element, count, indexLink, indexCount, startsOpen, questions } of categories) {
      // Questions return from the close matches of the search before, to their places.
      element.append(...questions.map((question) => question.element));
      const inCategory = questions.filter(isShown).length;
      element.hidden = inCategory === 0;
      element.open = query === '' ? startsOpen : true;
      if (count) count.textContent = questionCountText(inCategory);
      if (indexCount) indexCount.textContent = String(inCategory);
      indexLink?.toggleAttribute('data-empty', inCategory === 0);
    }
    close.append(...similar.map(({ element }) => element));
    close.hidden = similar.length === 0;
    close.open = true;
    if (closeCount) closeCount.textContent = questionCountText(similar.length);
    const matched = all.filter(isShown).length + similar.length;
    none.hidden = matched > 0;
    shown.textContent = query === '' ? questionCountText(all.length) : `${matched} of ${all.length}`;
    const ranges = all.flatMap((question) => rangesOf(question, found.get(question)?.matches ?? []));
    // Older browsers have no highlights.
    if ('highlights' in CSS) CSS.highlights.set(HIGHLIGHT, new Highlight(...ranges));
  };

  const clear = () => {
    input.value = '';
    search();
    input.focus();
  };
  input.addEventListener('input', search);
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && input.value !== '') clear();
    if (key === 'Enter') document.querySelector<HTMLElement>(FIRST_FOUND)?.focus();
  });
  for (const button of document.querySelectorAll('[data-faq-none] button, [data-faq-clear]'))
    button.addEventListener('click', clear);
  if (input.value !== '') search();
}
