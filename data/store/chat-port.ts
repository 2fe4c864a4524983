/** What the assistant keeps. Nothing in it tells who asked; times are Unix milliseconds. */

export interface UnansweredQuestion {
  /** Cleaned of whatever could name a person. */
  readonly question: string;
  readonly times: number;
  readonly firstAskedAt: number;
  readonly lastAskedAt: number;
}

export interface AnswerVerdicts {
  /** What the answers were drawn from. */
  readonly source: string;
  readonly up: number;
  readonly down: number;
}

export interface ChatTranscript {
  readonly at: number;
  readonly question: string;
  readonly answer: string;
  readonly source: string;
}

export interface ChatStore {
  /** Counts a question that found no answer. At most `atMost` different ones are kept: the one not asked for longest goes. */
  addUnanswered(question: string, at: number, atMost: number): Promise<void>;
  /** Those asked most often first. */
  unanswered(limit: number): Promise<readonly UnansweredQuestion[]>;
  /** Counts a verdict on answers of a source, by the day in UTC. */
  addVerdict(source: string, verdict: 'up' | 'down', at: number): Promise<void>;
  /** Counts since a moment, those with most verdicts against them first. */
  verdicts(since: number): Promise<readonly AnswerVerdicts[]>;
  /** Keeps what was asked and answered. Those older than `keepSince` are removed. */
  addTranscript(transcript: ChatTranscript, keepSince: number): Promise<void>;
  /** Newest first. */
  transcripts(limit: number): Promise<readonly ChatTranscript[]>;
}
