/* What the assistant stores. None of it identifies a visitor. Times are Unix milliseconds. */

interface UnansweredQuestion {
  /** Without personal data. */
  readonly question: string;
  readonly times: number;
  readonly firstAskedAt: number;
  readonly lastAskedAt: number;
}

interface AnswerVerdicts {
  /** What the answers were based on. */
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
  /** Counts a verdict on answers from a source, for the day in UTC. */
  addVerdict(source: string, verdict: 'up' | 'down', at: number): Promise<void>;
  /** The verdicts since a given time, most `down` first. */
  verdicts(since: number): Promise<readonly AnswerVerdicts[]>;
  /** Stores a question with its answer, and deletes transcripts older than `keepSince`. */
  addTranscript(transcript: ChatTranscript, keepSince: number): Promise<void>;
  /** Newest first. */
  transcripts(limit: number): Promise<readonly ChatTranscript[]>;
}
