import type { AuditRecord } from './audit-port.ts';

/* The data that the assistant stores. None of it identifies a visitor. Times are Unix milliseconds. */

export interface UnansweredQuestion {
  /** Without personal data. */
  readonly question: string;
  readonly timesAsked: number;
  readonly firstAskedAt: number;
  readonly lastAskedAt: number;
  /** How often the question had been asked when the team last dismissed it; 0 if the team never did. */
  readonly timesAskedAtDismissal: number;
}

/** `phrasing`: another way to ask for an existing passage. `answer`: a question that the team answers itself. */
export const ADDITION_KINDS = ['phrasing', 'answer'] as const;

interface AdditionFields {
  readonly id: string;
  /** The question as visitors ask it, in one line of plain text. */
  readonly question: string;
  readonly addedAt: number;
}

export type Addition = AdditionFields &
  (
    | {
        readonly kind: 'phrasing';
        readonly href: string;
        /**
         * The passage's title when it was chosen. `href` alone does not identify a passage, because several parts of a
         * section may have the same one.
         */
        readonly title: string;
      }
    | { readonly kind: 'answer'; readonly answer: string }
  );

interface AnswerVerdicts {
  /**
   * Where the answers come from: a passage's `href`, `figure:` and the name of a live value, or a kind such as `small-talk`.
   */
  readonly source: string;
  readonly up: number;
  readonly down: number;
}

interface ChatTranscript {
  readonly at: number;
  readonly question: string;
  readonly answer: string;
  readonly source: string;
}

export interface ChatStore {
  /** Counts a question that got no answer. With more than `limit` questions, the least recently asked one is deleted. */
  addUnanswered(question: string, at: number, limit: number): Promise<void>;
  /** Most frequent first. */
  unanswered(limit: number): Promise<readonly UnansweredQuestion[]>;
  /**
   * Dismisses questions: sets their `timesAskedAtDismissal` to `timesAsked`. The audit record is added if at least one of the
   * questions exists.
   * @returns how many of the questions exist
   */
  dismissUnanswered(questions: readonly string[], audit: AuditRecord): Promise<number>;
  /**
   * Stores an addition, and deletes `answeredQuestions` from the unanswered questions. The assistant uses the addition from
   * the next question on.
   * @returns `exists` when an addition in use has the same question, `full` when `limit` additions are in use
   */
  addAddition(
    addition: Addition & { readonly adminId: string },
    answeredQuestions: readonly string[],
    limit: number,
    audit: AuditRecord,
  ): Promise<'added' | 'exists' | 'full'>;
  /** Takes an addition out of use and deletes its text. @returns false when no addition in use has the id */
  withdrawAddition(id: string, at: number, audit: AuditRecord): Promise<boolean>;
  /** The additions in use, each with its author's username, newest first. */
  additions(): Promise<readonly (Addition & { readonly by: string })[]>;
  /** Increases with each addition and each withdrawal. */
  additionsVersion(): Promise<number>;
  /** Counts a verdict on an answer from a source, on the UTC day of `at`. */
  addVerdict(source: string, verdict: 'up' | 'down', at: number): Promise<void>;
  /** Sources with the most `down` verdicts come first. */
  verdicts(since: number): Promise<readonly AnswerVerdicts[]>;
  /** Also deletes transcripts older than `keepSince`. */
  addTranscript(transcript: ChatTranscript, keepSince: number): Promise<void>;
  /** Newest first. */
  transcripts(limit: number): Promise<readonly ChatTranscript[]>;
}
