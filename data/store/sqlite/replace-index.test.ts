import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexReader } from '../ports.ts';
import { IDENTITY, sampleBatch, sampleEvent, sampleQuote } from '../testing/sample-rows.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openIndexReader } from './index-reader.ts';
import { openIndexWriter } from './index-writer.ts';
import { finishReplacement, replaceIndex } from './replace-index.ts';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 1);

let folder: string;
let file: string;
let reader: IndexReader;
beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder, 'index.db');
  reader = openIndexReader(file);
  const writer = await openIndexWriter(file);
  await writer.claim(IDENTITY);
  await writer.commitEvents(sampleBatch([sampleEvent(1)], 1_000));
  await writer.commitQuote(sampleQuote('5', START));
  for (const hour of [0, 1, 2]) {
    await writer.commitQuote(sampleQuote(`0.${hour + 1}`, START + hour * HOUR_MS, 'jupiter'));
  }
  await writer.fillHistory({ source: 'jupiter', points: [{ at: START - HOUR_MS, value: '0.05' }] });
  await writer.close();
});
afterEach(async () => {
  await reader.close();
});

const prices = async () => (await reader.history('price', 'hour', 0)).map(({ value }) => value);
const CARRIED_PRICES = ['0.05', '0.1', '0.2', '0.3'];

describe('an index that replaces another', () => {
  it('keeps market prices, which are not on the chain, and nothing else', async () => {
    expect(await prices()).toEqual(CARRIED_PRICES);
    const { carriedPoints, error } = await replaceIndex(file, { ...IDENTITY, vault: 'other' });
    expect(error).toBeNull();
    expect(carriedPoints).toBeGreaterThan(CARRIED_PRICES.length);
    expect(await prices()).toEqual(CARRIED_PRICES);
    expect(await reader.latestSnapshot(9)).toMatchObject({
      identity: { ...IDENTITY, vault: 'other' },
      recentEvents: [],
      quote: { priceUsd: '0.3', source: 'jupiter' },
    });
    expect(readdirSync(folder).filter((name) => name.includes('.next'))).toEqual([]);
  });

  it('is not backfilled with prices older than those it keeps', async () => {
    await replaceIndex(file, IDENTITY);
    const writer = await openIndexWriter(file);
    await writer.fillHistory({ source: 'jupiter', points: [{ at: START - 2 * HOUR_MS, value: '7' }] });
    await writer.close();
    expect(await prices()).toEqual(CARRIED_PRICES);
  });

  it('keeps no prices for a different mint, and no demo prices', async () => {
    await replaceIndex(file, { ...IDENTITY, mint: 'other' });
    expect((await reader.latestSnapshot(0)).quote).toBeNull();
    const writer = await openIndexWriter(file);
    await writer.commitQuote(sampleQuote('1', START + HOUR_MS, 'jupiter'));
    expect(await prices()).toEqual(['1']);
    await writer.close();
    await replaceIndex(file, { ...IDENTITY, mint: 'other' });
    const nextWriter = await openIndexWriter(file);
    await nextWriter.commitQuote(sampleQuote('2', START + 2 * HOUR_MS));
    await nextWriter.close();
    expect(await prices()).toEqual(['2']);
  });

  it('is empty when the former index cannot be read, and the error is returned', async () => {
    writeFileSync(file, 'no database');
    const { carriedPoints, error } = await replaceIndex(file, IDENTITY);
    expect(carriedPoints).toBe(0);
    expect(error).toBeInstanceOf(Error);
    expect((await reader.latestSnapshot(0)).identity).toEqual(IDENTITY);
  });

  it('is created even if there is none to replace', async () => {
    rmSync(file);
    expect(await replaceIndex(file, IDENTITY)).toEqual({ carriedPoints: 0, error: null });
    expect((await reader.latestSnapshot(0)).identity).toEqual(IDENTITY);
  });
});

describe('an interrupted replacement', () => {
  /** Leaves the new index at the `.next` path, as an interruption does. @returns the path of a copy of the former index */
  async function interruptReplacement(): Promise<string> {
    const former = join(folder, 'former.db');
    copyFileSync(file, former);
    await replaceIndex(file, IDENTITY);
    renameSync(file, `${file}.next`);
    return former;
  }

  it('is undone if the former index still exists', async () => {
    const former = await interruptReplacement();
    copyFileSync(former, file);
    await finishReplacement(file);
    expect((await reader.latestSnapshot(9)).recentEvents).toHaveLength(1);
    expect(await prices()).toEqual(CARRIED_PRICES);
    expect(existsSync(`${file}.next`)).toBe(false);
  });

  it('is completed if the former index is missing, without applying the log that it left', async () => {
    await interruptReplacement();
    writeFileSync(`${file}-wal`, 'what the former index left');
    await finishReplacement(file);
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(await prices()).toEqual(CARRIED_PRICES);
    expect((await reader.latestSnapshot(9)).recentEvents).toEqual([]);
  });
});
