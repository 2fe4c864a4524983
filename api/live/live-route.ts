import { LIVE_PATH, LIVE_SINCE } from '../../data/contract/live.ts';
import { CrossOriginError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { clientAddress } from '../security/client-address.ts';
import { STREAM_HEADERS, type StreamHub } from './stream-hub.ts';

/** `GET /api/live`: the event stream. */
export function liveRoute(hub: StreamHub): ApiRoute {
  return {
    method: 'GET',
    path: LIVE_PATH,
    handle: (request, response) => {
      // Another site's page could not read the stream, but its visitors could fill every place.
      if (request.headers['sec-fetch-site'] === 'cross-site') throw new CrossOriginError();
      if (request.method === 'HEAD') {
        response.writeHead(200, STREAM_HEADERS).end();
        return;
      }
      // The browser's own header is of this very connection; the query was written when the page opened it.
      const held = request.headers['last-event-id'] ?? request.query[LIVE_SINCE];
      hub.open(response, clientAddress(request), typeof held === 'string' ? held : undefined);
    },
  };
}
