import { t } from '../../../data/model/locale.ts';
import { localizePath, tCount } from '../../../data/model/locale-texts.ts';
import { createLink } from '../../shell/elements.ts';
import {
  createSectionSearch,
  loadSectionSearch,
  type Section,
  type SectionSearch,
} from '../../shell/search/section-search.ts';
import { ducklingButton, unansweredHelp } from '../../shell/unanswered/unanswered-help.ts';
import { exactMatches, fold, foldQuery, type Match, matchingWords } from './text-matches.ts';

/** A question, read from the page so that the search works offline. */
interface Question {
  readonly element: HTMLDetailsElement;
  /** For example `/faq#lock`, even on the alias `/help`. */
  readonly href: string;
  readonly nodes: readonly Text[];
  readonly text: string;
  readonly foldedText: string;
  /** The length of the question, with which `text` begins. The answer follows. */
  readonly questionLength: number;
}

interface QuestionHit {
  /**
   * Whether the question or its answer contains the query, or all of the query's words. If not, the
   * match relies on corrected spelling, on synonyms, or on only some of the words.
   */
  readonly isExact: boolean;
  readonly matches: readonly Match[];
  /** 0 for the best match. */
  readonly rank: number;
}

const HIGHLIGHT_NAME = 'found';
const FIRST_SHOWN_QUESTION_SELECTOR =
  ':is([data-faq-category], [data-faq-close-matches])[open]:not([hidden]) > details:not([hidden]) > summary';

function textNodes(root: Node): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  return nodes;
}

function readQuestion(element: HTMLDetailsElement): Question {
  const nodes = textNodes(element);
  const text = nodes.map(({ data }) => data).join('');
  return {
    element,
    href: localizePath(`/faq#${element.id}`),
    nodes,
    text,
    foldedText: fold(text),
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

/** The matches as DOM ranges. A match can span several nodes. */
function rangesOf({ nodes }: Question, matches: readonly Match[]): Range[] {
  return matches.map(([start, end]) => {
    const range = new Range();
    let nodeStart = 0;
    for (const node of nodes) {
      const [from, to] = [start - nodeStart, end - nodeStart];
      if (from >= 0 && from < node.length) range.setStart(node, from);
      if (to > 0 && to <= node.length) range.setEnd(node, to);
      nodeStart += node.length;
    }
    return range;
  });
}

/** Converts a question to a section, which is searched until the index is loaded. */
function sectionOf({ href, text, questionLength }: Question): Section {
  return {
    href,
    title: text.slice(0, questionLength),
    page: '',
    text: text.slice(questionLength),
    askedAs: [],
  };
}

const CLOSE_MATCHES = { maxCount: 6, minShareOfBest: 0.6 } as const;

const MAX_SIMILAR = 3;

function findQuestions(
  query: string,
  questions: readonly Question[],
  sections: SectionSearch,
): ReadonlyMap<Question, QuestionHit> {
  if (query === '') return new Map();
  const { results, isMatch } = sections.find(query);
  const questionByHref = new Map(questions.map((question) => [question.href, question]));
  const rankedQuestions = results.flatMap(({ passage, score }) => {
    const question = questionByHref.get(passage.href);
    return question ? [{ question, score }] : [];
  });
  const rankOf = new Map(rankedQuestions.map(({ question }, rank) => [question, rank]));
  const exactHits = questions.flatMap((question): [Question, QuestionHit][] => {
    const matches = exactMatches(question.foldedText, query);
    const rank = rankOf.get(question) ?? rankedQuestions.length;
    return matches.length > 0 ? [[question, { isExact: true, matches, rank }]] : [];
  });
  const exactQuestions = new Set(exactHits.map(([question]) => question));
  const minScore = (rankedQuestions[0]?.score ?? 0) * CLOSE_MATCHES.minShareOfBest;
  const closeHits = rankedQuestions
    .filter(({ question, score }) => !exactQuestions.has(question) && score >= minScore)
    .slice(0, CLOSE_MATCHES.maxCount)
    .map(({ question }, rank): [Question, QuestionHit] => [
      question,
      { isExact: false, matches: matchingWords(question.text, isMatch), rank },
    ]);
  return new Map([...exactHits, ...closeHits]);
}

/** Help for a query without results: links to similar questions, and a button that asks Duckling. */
function createHelp(
  query: string,
  questions: readonly Question[],
  sections: SectionSearch,
  open: (question: Question) => void,
): HTMLElement {
  const links = sections
    .findSimilar(query)
    .flatMap(({ passage }) => questions.filter(({ href }) => href === passage.href))
    .slice(0, MAX_SIMILAR)
    .map((question) => {
      const link = createLink('', `#${question.element.id}`, question.text.slice(0, question.questionLength));
      link.addEventListener('click', () => open(question));
      return link;
    });
  return unansweredHelp(query, links, ducklingButton(query));
}

function questionCountText(count: number): string {
  return tCount(count, '1 question', '{count} questions');
}

export function startFaqSearch(input: HTMLInputElement): void {
  const resultCount = document.querySelector('[data-faq-search] output');
  const noResults = document.querySelector<HTMLElement>('[data-faq-no-results]');
  const closeMatchCategory = document.querySelector<HTMLDetailsElement>('[data-faq-close-matches]');
  const closeMatchCount = closeMatchCategory?.querySelector('[data-faq-count]');
  if (!resultCount || !noResults || !closeMatchCategory) return;
  const categories = [...document.querySelectorAll<HTMLDetailsElement>('[data-faq-category]')].map(
    readCategory,
  );
  const allQuestions = categories.flatMap(({ questions }) => questions);
  let sections = createSectionSearch({ sections: allQuestions.map(sectionOf), commonWords: '' });
  let help: HTMLElement | null = null;

  const search = () => {
    const query = foldQuery(input.value);
    const hits = findQuestions(query, allQuestions, sections);
    const rankOf = (question: Question) => hits.get(question)?.rank ?? allQuestions.length;
    const compareRanks = (one: Question, other: Question) => rankOf(one) - rankOf(other);
    const isInCategory = (question: Question) => query === '' || hits.get(question)?.isExact === true;
    const closeMatches = allQuestions
      .filter((question) => hits.get(question)?.isExact === false)
      .sort(compareRanks);
    for (const question of allQuestions) {
      const matches = hits.get(question)?.matches ?? [];
      question.element.hidden = query !== '' && !hits.has(question);
      // Opens the question if all matches are in its answer, which would otherwise be hidden.
      question.element.open =
        matches.length > 0 && matches.every(([start]) => start >= question.questionLength);
    }
    const bestRank = (questions: readonly Question[]) =>
      Math.min(...questions.filter(isInCategory).map(rankOf), allQuestions.length);
    const rankedCategories = categories.toSorted(
      (one, other) => bestRank(one.questions) - bestRank(other.questions),
    );
    for (const { element, count, indexLink, indexCount, startsOpen, questions } of rankedCategories) {
      closeMatchCategory.before(element);
      // Moves questions back to their category if the previous search listed them as close matches.
      element.append(...questions.toSorted(compareRanks).map((question) => question.element));
      const countInCategory = questions.filter(isInCategory).length;
      element.hidden = countInCategory === 0;
      element.open = query === '' ? startsOpen : true;
      if (count) count.textContent = questionCountText(countInCategory);
      if (indexCount) indexCount.textContent = String(countInCategory);
      indexLink?.toggleAttribute('data-empty', countInCategory === 0);
    }
    closeMatchCategory.append(...closeMatches.map(({ element }) => element));
    closeMatchCategory.hidden = closeMatches.length === 0;
    closeMatchCategory.open = true;
    if (closeMatchCount) closeMatchCount.textContent = questionCountText(closeMatches.length);
    noResults.hidden = query === '' || hits.size > 0;
    help?.remove();
    help = noResults.hidden ? null : createHelp(input.value.trim(), allQuestions, sections, open);
    if (help) noResults.append(help);
    resultCount.textContent =
      query === ''
        ? questionCountText(allQuestions.length)
        : t('{found} of {all}', { found: hits.size, all: allQuestions.length });
    const ranges = allQuestions.flatMap((question) => rangesOf(question, hits.get(question)?.matches ?? []));
    // Older browsers do not support CSS highlights.
    if ('highlights' in CSS) CSS.highlights.set(HIGHLIGHT_NAME, new Highlight(...ranges));
  };

  /**
   * Loads the index, which also has other phrasings of each question, and searches again. If loading fails, the next
   * change of the search text tries again.
   */
  const loadIndex = async () => {
    resultCount.ariaBusy = 'true';
    try {
      sections = await loadSectionSearch();
      input.removeEventListener('input', loadIndex);
      // An empty search would close a question that a link has opened.
      if (input.value === '') return;
      const focused = document.activeElement;
      search();
      // A question loses the focus when it is moved in the document.
      if (focused instanceof HTMLElement && focused !== document.activeElement) focused.focus();
    } catch {
      // Without the index, the search uses the texts on the page.
    } finally {
      resultCount.ariaBusy = null;
    }
  };

  const clear = () => {
    input.value = '';
    search();
    input.focus();
  };
  /** Clears the search first, because the search may hide the question. */
  const open = ({ element }: Question) => {
    clear();
    element.open = true;
  };
  input.addEventListener('input', search);
  input.addEventListener('input', loadIndex);
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && input.value !== '') clear();
    if (key === 'Enter') document.querySelector<HTMLElement>(FIRST_SHOWN_QUESTION_SELECTOR)?.focus();
  });
  for (const button of document.querySelectorAll('[data-faq-no-results] button, [data-faq-clear]'))
    button.addEventListener('click', clear);
  if (input.value !== '') {
    search();
    void loadIndex();
  }
}
