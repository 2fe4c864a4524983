import type { LiveFresh } from '../../data/contract/live.ts';
import type { IndexSnapshot } from '../../data/store/ports.ts';
import type { FigureChange } from '../metrics/live-snapshot.ts';

/** Milliseconds after which a browser opens a broken stream again. */
const RETRY_MS = 1_000;

/** Opens every stream. */
export const STREAM_OPENING = `retry: ${RETRY_MS}\n\n`;

/** An event of a stream. JSON text holds no line break, so one `data` line carries it. */
export function eventText(event: string, json: string, id?: number): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${json}\n\n`;
}

/** Event `change`, put together from bodies that are serialised already. Its id is the version. */
export function changeEvent({ version, bodies, announced, missing }: FigureChange): string {
  const members = [...bodies].map(([path, body]) => `${JSON.stringify(path)}:${body}`);
  const paths = `"announced":${JSON.stringify(announced)},"missing":${JSON.stringify(missing)}`;
  const json = `{"version":${version},"bodies":{${members.join(',')}},${paths}}`;
  return eventText('change', json, version);
}

/** When each source was last read. */
export type SourceReads = Omit<LiveFresh, 'now'>;

/** When each source was last read, by the index. */
export function sourceReads({ chain, quote }: IndexSnapshot): SourceReads {
  return {
    chain: chain && { asOf: new Date(chain.readAt).toISOString(), slot: chain.slot },
    market: quote && { asOf: new Date(quote.readAt).toISOString() },
  };
}

/** Event `fresh`, sent at `now` (Unix ms). */
export function freshEvent(reads: SourceReads, now: number): string {
  const fresh: LiveFresh = { now: new Date(now).toISOString(), ...reads };
  return eventText('fresh', JSON.stringify(fresh));
}
