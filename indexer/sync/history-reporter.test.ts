import pino from 'pino';
import { expect, it } from 'vitest';
import { undecidedReporter } from './history-reporter.ts';

it('tells once that events wait for an endpoint with more history, and once that none waits any more', () => {
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const tell = undecidedReporter(log);
  const waiting = ['vault', 'pool'].map((account) => ({ signature: 'a', account, slot: 7 }));
  tell([]);
  expect(lines).toEqual([]);
  tell(waiting);
  tell(waiting);
  expect(lines).toMatchObject([{ level: pino.levels.values.warn, transactions: 1, signature: 'a', slot: 7 }]);
  expect(lines[0]?.msg).toContain('SOLANA_RPC_URLS');
  tell([]);
  tell([]);
  expect(lines.slice(1)).toMatchObject([{ level: pino.levels.values.info }]);
});
