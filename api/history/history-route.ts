import { history } from '../../data/contract/history.ts';
import type { ApiRoute } from '../known-calls.ts';
import { sendAnswer } from '../metrics/cached-answer.ts';
import { readQuery } from '../query.ts';
import type { HistoryAnswers } from './history-answers.ts';

/** `GET /api/history`: a series for a chart. */
export function historyRoute(answers: HistoryAnswers): ApiRoute {
  return {
    method: history.method,
    path: history.path,
    handle: async (request, response) => {
      const { series, range } = readQuery(history.query, request.query);
      sendAnswer(await answers.answer(series, range), request, response);
    },
  };
}
