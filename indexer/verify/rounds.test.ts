import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChainReading } from './chain-reading.ts';
import { type Check, portalSource } from './checks.ts';
import { exitCodeForResults, formatVerifyReport } from './command-line.ts';
import type { PortalAnswer } from './read-api.ts';
import { compareInRounds } from './rounds.ts';

interface PortalFigure {
  readonly value: string | null;
  readonly slot: number | null;
}

const portalFigure = (value: string | null, slot: number | null = null): PortalFigure => ({ value, slot });

/** Expects the chain's `slot` as the figure's value. */
const check: Check = {
  figure: 'vault balance',
  ...portalSource('/figure', z.object({ value: z.string() }), ({ value }) => [value]),
  expected: ({ slot }) => [[String(slot)]],
};

/** Each reading takes the next item of `portal` or `chain`. Once the items run out, the last one repeats. */
async function compareRounds(
  portal: readonly PortalFigure[],
  chain: readonly { readonly value: number; readonly slot: number }[],
  compared: Check = check,
) {
  const nextOf = <T>(answers: readonly T[]) => {
    let requests = 0;
    return { requests: () => requests, next: () => answers[Math.min(requests++, answers.length - 1)] };
  };
  const fromPortal = nextOf(portal);
  const fromChain = nextOf(chain);
  const [finding] = await compareInRounds({
    checks: [compared],
    portal: {
      read: async () => {
        const body = fromPortal.next();
        const answer: PortalAnswer =
          body?.value == null ? { kind: 'none', reason: 'HTTP 503' } : { kind: 'body', body };
        return { answer: () => answer, wallets: [] };
      },
    },
    chain: {
      read: async () => {
        const { value = 0, slot = 0 } = fromChain.next() ?? {};
        return { accounts: { slot }, slot: value } as unknown as ChainReading;
      },
    },
    pause: async () => {},
  });
  return { verdict: finding?.verdict, chainReads: fromChain.requests(), portalReads: fromPortal.requests() };
}

describe('a figure compared with the chain', () => {
  it('agrees if the portal reports the chain’s value both before and after the chain is read', async () => {
    const { verdict, chainReads } = await compareRounds(
      [portalFigure('7', 9), portalFigure('7', 11)],
      [{ value: 7, slot: 10 }],
    );
    expect(verdict).toEqual({ kind: 'agree', rows: ['7'] });
    expect(chainReads).toBe(1);
  });

  it('differs if the portal keeps reporting another value, and shows both values', async () => {
    const { verdict, chainReads } = await compareRounds([portalFigure('8', 10)], [{ value: 7, slot: 10 }]);
    expect(verdict).toEqual({ kind: 'differs', reported: ['8'], expected: ['7'] });
    expect(chainReads).toBe(3);
  });

  it('differs once three rounds differ, even if a fourth would agree', async () => {
    const chain = [8, 8, 8, 7].map((value, round) => ({ value, slot: 10 + round }));
    const { verdict } = await compareRounds([portalFigure('7')], chain);
    expect(verdict).toEqual({ kind: 'differs', reported: ['7'], expected: ['8'] });
    const twice = await compareRounds([portalFigure('7')], chain.slice(1));
    expect(twice.verdict?.kind).toBe('agree');
  });

  it('is read again if the portal is a moment behind', async () => {
    const behind = portalFigure('6', 9);
    const { verdict, chainReads } = await compareRounds(
      [behind, behind, behind, portalFigure('7', 10)],
      [{ value: 7, slot: 10 }],
    );
    expect({ kind: verdict?.kind, chainReads }).toEqual({ kind: 'agree', chainReads: 1 });
  });

  it('is not reported as different after a single odd reading', async () => {
    const chain = [8, 7].map((value, round) => ({ value, slot: 10 + round }));
    const { verdict } = await compareRounds([portalFigure('7')], chain);
    expect(verdict?.kind).toBe('agree');
  });

  it('is compared up to the chain’s slot if its rows have slots, even while it changes', async () => {
    const list: Check = {
      figure: 'transactions',
      hasFinalRows: true,
      ...portalSource('/figure', z.object({ value: z.string() }), ({ value }, chainSlot) =>
        value.split(' ').filter((row) => Number(row) < chainSlot),
      ),
      expected: ({ slot }) => [['1', String(slot)]],
    };
    const growing = ['1', '1 7 12', '1 7 12 13'].map((value) => portalFigure(value));
    expect((await compareRounds(growing, [{ value: 7, slot: 10 }], list)).verdict?.kind).toBe('agree');
    expect((await compareRounds(growing, [{ value: 8, slot: 10 }], list)).verdict?.kind).toBe('differs');
  });

  it('is compared using the portal’s first reading if the check requires that', async () => {
    const before: Check = { ...check, usesFirstReading: true };
    const moving = [portalFigure('7'), portalFigure('8')];
    expect((await compareRounds(moving, [{ value: 7, slot: 10 }], before)).verdict?.kind).toBe('agree');
    const lying = { ...before, expected: () => [['6']] };
    expect((await compareRounds(moving, [{ value: 8, slot: 10 }], lying)).verdict?.kind).toBe('differs');
  });

  it('is no longer read once its slot reaches the chain’s slot', async () => {
    const requests: string[][] = [];
    const slots: Record<string, number[]> = { '/here': [10, 10], '/behind': [10, 9, 9, 10] };
    const figureOf = (path: string): Check => ({
      figure: path,
      ...portalSource(path, z.object({ value: z.string() }), ({ value }) => [value]),
      expected: () => [['1']],
    });
    const findings = await compareInRounds({
      checks: [figureOf('/here'), figureOf('/behind')],
      portal: {
        read: async (calls) => {
          const bodies = new Map(
            [...calls].map((call) => [call, { value: '1', slot: slots[call]?.shift() }]),
          );
          requests.push([...calls]);
          return { answer: (call) => ({ kind: 'body', body: bodies.get(call) }), wallets: [] };
        },
      },
      chain: { read: async () => ({ accounts: { slot: 10 }, slot: 10 }) as unknown as ChainReading },
      pause: async () => {},
    });
    expect(findings.map(({ verdict }) => verdict.kind)).toEqual(['agree', 'agree']);
    expect(requests).toEqual([['/here', '/behind'], ['/here', '/behind'], ['/behind'], ['/behind']]);
  });

  it('is not comparable while it changes at every reading, or is reported only at other slots', async () => {
    const moving = Array.from({ length: 200 }, (_, index) => portalFigure(`moving ${index}`));
    expect((await compareRounds(moving, [{ value: 7, slot: 10 }])).verdict).toEqual({
      kind: 'not comparable',
      reason: 'it changed while it was read',
    });
    const ahead = await compareRounds([portalFigure('8', 99)], [{ value: 7, slot: 10 }]);
    expect(ahead.verdict).toEqual({
      kind: 'not comparable',
      reason: 'the endpoint is behind the portal (slot 10 of 99)',
    });
    const behind = await compareRounds([portalFigure('8', 9)], [{ value: 7, slot: 10 }]);
    expect(behind.verdict).toEqual({
      kind: 'not comparable',
      reason: 'the portal is behind the chain (slot 9 of 10)',
    });
  });

  it('is not comparable if the portal does not know it', async () => {
    const { verdict, portalReads } = await compareRounds([portalFigure(null)], [{ value: 7, slot: 10 }]);
    expect(verdict).toEqual({ kind: 'not comparable', reason: 'HTTP 503' });
    expect(portalReads).toBeLessThan(70);
  });
});

describe('the report', () => {
  const agree = { figure: 'stakers', verdict: { kind: 'agree', rows: ['8'] } } as const;
  const unknown = { figure: 'staked', verdict: { kind: 'not comparable', reason: 'HTTP 503' } } as const;
  const differs = {
    figure: 'vault balance',
    verdict: { kind: 'differs', reported: ['a', 'x'], expected: ['a', 'y', 'z'] },
  } as const;

  it("shows each figure's verdict, with both values if they differ", () => {
    expect(formatVerifyReport([agree, unknown, differs]).split('\n')).toEqual([
      '  stakers        agree           8',
      '  staked         not comparable  HTTP 503',
      '  vault balance  differs         portal: x | chain: y',
      '',
      '1 agree, 1 differ, 1 not comparable',
    ]);
  });

  it('has exit code 0 if all figures agree, 1 if any differs, and otherwise 75', () => {
    expect(exitCodeForResults([agree])).toBe(0);
    expect(exitCodeForResults([agree, unknown])).toBe(75);
    expect(exitCodeForResults([agree, unknown, differs])).toBe(1);
  });
});
