import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CachedAnswer, sendAnswer } from './cached-answer.ts';

/** Answers a request if it can, and says whether it did. */
export type HotReads = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Answers GET and HEAD of cached paths before Express sees the request: its routing costs more than the answer. A query
 * changes nothing, since no live call takes one.
 */
export function createHotReads(answers: ReadonlyMap<string, CachedAnswer>): HotReads {
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const url = request.url ?? '';
    let answer = answers.get(url);
    if (answer === undefined) {
      const query = url.indexOf('?');
      if (query === -1) return false;
      answer = answers.get(url.slice(0, query));
      if (answer === undefined) return false;
    }
    sendAnswer(answer, request, response);
    return true;
  };
}
