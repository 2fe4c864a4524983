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

/** Starts the search, which is hidden without scripts. */
export function startFaqSearch(): void {
  const box = document.querySelector<HTMLElement>('[data-faq-search]');
  const input = box?.querySelector('input');
  const shown = box?.querySelector('output');
  const none = document.querySelector<HTMLElement>('[data-faq-none]');
  if (!box || !input || !shown || !none) return;
  const categories = [...document.querySelectorAll<HTMLDetailsElement>('[data-faq-category]')].map(
    readCategory,
  );
  const total = categories.reduce((sum, { questions }) => sum + questions.length, 0);

  const search = () => {
    const query = foldQuery(input.value);
    const ranges: Range[] = [];
    let matched = 0;
    for (const category of categories) {
      let inCategory = 0;
      for (const question of category.questions) {
        const matches = findAll(question.folded, query);
        const isFound = query === '' || matches.length > 0;
        question.element.hidden = !isFound;
        // A closed question would hide a match that is only in its answer.
        question.element.open =
          matches.length > 0 && matches.every(([start]) => start >= question.questionLength);
        ranges.push(...rangesOf(question, matches));
        if (isFound) inCategory += 1;
      }
      matched += inCategory;
      category.element.hidden = inCategory === 0;
      category.element.open = query === '' ? category.startsOpen : true;
      if (category.count) category.count.textContent = questionCountText(inCategory);
      if (category.indexCount) category.indexCount.textContent = String(inCategory);
      category.indexLink?.toggleAttribute('data-empty', inCategory === 0);
    }
    none.hidden = matched > 0;
    shown.textContent = query === '' ? '' : `${matched} of ${total}`;
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
  });
  none.querySelector('button')?.addEventListener('click', clear);
  if (input.value !== '') search();
  openNamed(categories);
  addEventListener('hashchange', () => openNamed(categories));
}

/** Opens the category or question that the URL fragment names. */
function openNamed(categories: readonly ReturnType<typeof readCategory>[]): void {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const category = categories.find(({ element }) => element.contains(named));
  if (!named || !category) return;
  category.element.open = true;
  if (named instanceof HTMLDetailsElement) named.open = true;
  named.scrollIntoView();
}

/** Offsets of a match: its first character, and the one after its last. */
type Match = readonly [start: number, end: number];

/**
 * Normalizes text for comparison: lower case, plain quotes and dashes, white space as spaces. The length does not change,
 * so offsets are valid in both texts.
 */
export function fold(text: string): string {
  const plain = text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/[−–]/g, '-').replace(/\s/g, ' ');
  // The lower case of a few letters, such as İ, is longer.
  return plain.replace(/./gu, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  });
}

/** All matches of a folded query in a folded text, without overlap. An empty query has none. */
export function findAll(foldedText: string, foldedQuery: string): readonly Match[] {
  const matches: Match[] = [];
  const { length } = foldedQuery;
  let start = length > 0 ? foldedText.indexOf(foldedQuery) : -1;
  while (start >= 0) {
    matches.push([start, start + length]);
    start = foldedText.indexOf(foldedQuery, start + length);
  }
  return matches;
}

/** Folds a query, trimmed and with single spaces. */
export function foldQuery(typed: string): string {
  return fold(typed.trim().replace(/\s+/g, ' '));
}
