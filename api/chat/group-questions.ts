import type { Passage } from '../../data/model/search/passage-index.ts';
import type { Tokenizer } from '../../data/model/search/tokenizer.ts';
import type { UnansweredQuestion } from '../../data/store/chat-port.ts';

/** Two questions match if their shared tokens have at least this fraction of the weight of all their tokens. */
const MIN_AGREEMENT = 0.5;

/** The inverse document frequency of tokens in passages: the rarer a token, the more it says about a question's subject. */
export function createWeightOf(
  passages: readonly Pick<Passage, 'title' | 'text' | 'askedAs'>[],
  { tokensOf }: Pick<Tokenizer, 'tokensOf'>,
): (token: string) => number {
  let frequencies: Map<string, number> | undefined;
  const countFrequencies = () => {
    const counts = new Map<string, number>();
    for (const { title, text, askedAs } of passages) {
      for (const token of new Set(tokensOf([title, text, ...askedAs].join('\n')))) {
        counts.set(token, (counts.get(token) ?? 0) + 1);
      }
    }
    return counts;
  };
  return (token) => {
    frequencies ??= countFrequencies();
    const frequency = frequencies.get(token) ?? 0;
    return Math.log(1 + (passages.length - frequency + 0.5) / (frequency + 0.5));
  };
}

interface QuestionGroup {
  /** The question that was asked most often comes first. It represents the group. */
  readonly questions: readonly [UnansweredQuestion, ...UnansweredQuestion[]];
  readonly timesAsked: number;
}

interface GroupInProgress {
  readonly questions: [UnansweredQuestion, ...UnansweredQuestion[]];
  readonly tokens: ReadonlySet<string>;
  /** The order in which the groups were created. A question that matches two groups equally joins the older one. */
  readonly creationOrder: number;
}

const byFrequency = (one: UnansweredQuestion, other: UnansweredQuestion) =>
  other.timesAsked - one.timesAsked || (one.question < other.question ? -1 : 1);

/**
 * Groups questions by meaning, most asked group first. Questions are taken from the most to the least frequent. Each joins
 * the group whose first question it matches best. If it matches none by at least `MIN_AGREEMENT`, it starts a new group.
 * Only first questions are compared, so that a chain of similar questions does not become one group. The order of the input
 * has no effect.
 */
export function groupQuestions(
  questions: readonly UnansweredQuestion[],
  tokensOf: Tokenizer['tokensOf'],
  weightOf: (token: string) => number,
): readonly QuestionGroup[] {
  const weightOfAll = (tokens: Iterable<string>) =>
    [...tokens].reduce((sum, token) => sum + weightOf(token), 0);
  const agreementOf = (one: ReadonlySet<string>, other: ReadonlySet<string>) => {
    // Two questions without a token count as the same, because nothing distinguishes them.
    if (one.size === 0 || other.size === 0) return one.size === other.size ? 1 : 0;
    const sharedWeight = weightOfAll([...one].filter((token) => other.has(token)));
    return sharedWeight / (weightOfAll(one) + weightOfAll(other) - sharedWeight);
  };
  const groups: GroupInProgress[] = [];
  /**
   * For each token, the groups whose first question contains it. Under the empty string, the groups whose first question has no
   * token.
   */
  const groupsByToken = new Map<string, Set<GroupInProgress>>();
  for (const question of [...questions].sort(byFrequency)) {
    const tokens = new Set(tokensOf(question.question));
    const keys = tokens.size === 0 ? [''] : [...tokens];
    const candidates = new Set(keys.flatMap((key) => [...(groupsByToken.get(key) ?? [])]));
    let best: GroupInProgress | undefined;
    let highestShare = 0;
    for (const group of candidates) {
      const share = agreementOf(tokens, group.tokens);
      if (
        share >= MIN_AGREEMENT &&
        (share > highestShare || (share === highestShare && best && group.creationOrder < best.creationOrder))
      )
        [best, highestShare] = [group, share];
    }
    if (best) {
      best.questions.push(question);
      continue;
    }
    const group: GroupInProgress = { questions: [question], tokens, creationOrder: groups.length };
    groups.push(group);
    for (const key of keys) groupsByToken.set(key, (groupsByToken.get(key) ?? new Set()).add(group));
  }
  return groups
    .map((group) => ({
      questions: group.questions,
      timesAsked: group.questions.reduce((sum, { timesAsked }) => sum + timesAsked, 0),
    }))
    .sort(
      (one, other) => other.timesAsked - one.timesAsked || byFrequency(one.questions[0], other.questions[0]),
    );
}

/**
 * Whether the team should see a group: yes if none of its questions was dismissed, or if they were asked often enough after
 * the dismissal.
 */
export function needsAttention({ questions }: QuestionGroup, reappearAfter: number): boolean {
  const timesAskedSince = questions.reduce(
    (sum, { timesAsked, timesAskedAtDismissal }) => sum + timesAsked - timesAskedAtDismissal,
    0,
  );
  return (
    questions.every(({ timesAskedAtDismissal }) => timesAskedAtDismissal === 0) ||
    timesAskedSince >= reappearAfter
  );
}
