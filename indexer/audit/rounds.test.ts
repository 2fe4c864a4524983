import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChainReading } from './chain-reading.ts';
import { type Check, toldBy } from './checks.ts';
import type { Answer } from './read-api.ts';
import { auditExitCode, auditReport } from './report.ts';
import { compareInRounds } from './rounds.ts';

interface Told {
  readonly value: string | null;
  readonly slot: number | null;
}

/** The chain's value, as what it reads last. */
const check: Check = {
  figure: 'vault balance',
  ...toldBy('/figure', z.object({ value: z.string() }), ({ value }) => [value]),
  expected: ({ slot }) => [[String(slot)]],
};

/** What becomes of the portal's answers at each reading and the chain's between two; the last of each is repeated. */
async function audit(
  portal: readonly Told[],
  chain: readonly { readonly value: number; readonly slot: number }[],
  audited: Check = check,
) {
  const nextOf = <T>(answers: readonly T[]) => {
    let asked = 0;
    return { asked: () => asked, next: () => answers[Math.min(asked++, answers.length - 1)] };
  };
  const fromPortal = nextOf(portal);
  const fromChain = nextOf(chain);
  const [finding] = await compareInRounds({
    checks: [audited],
    portal: {
      read: async () => {
        const told = fromPortal.next();
        const answer: Answer =
          told?.value == null ? { kind: 'none', reason: 'HTTP 503' } : { kind: 'body', body: told };
        return { answer: () => answer, wallets: [] };
      },
    },
    chain: {
      read: async () => {
        const { value = 0, slot = 0 } = fromChain.next() ?? {};
        return {
          accounts: { slot },
          vaultEvents: [],
          poolEvents: [],
          slot: value,
        } as unknown as ChainReading;
      },
    },
    pause: async () => {},
  });
  return { verdict: finding?.verdict, chainReads: fromChain.asked(), portalReads: fromPortal.asked() };
}

describe('a figure held against the chain', () => {
  it('agrees where the portal told it before and after the chain did', async () => {
    const { verdict, chainReads } = await audit(
      [
        { value: '7', slot: 9 },
        { value: '7', slot: 11 },
      ],
      [{ value: 7, slot: 10 }],
    );
    expect(verdict).toEqual({ kind: 'agree', rows: ['7'] });
    expect(chainReads).toBe(1);
  });

  it('differs where the portal keeps telling otherwise, which both values show', async () => {
    const { verdict, chainReads } = await audit([{ value: '8', slot: 10 }], [{ value: 7, slot: 10 }]);
    expect(verdict).toEqual({ kind: 'differs', told: ['8'], expected: ['7'] });
    expect(chainReads).toBe(3);
  });

  it('that differed in three rounds stays told as differing, though it agrees later', async () => {
    const chain = [8, 8, 8, 7].map((value, round) => ({ value, slot: 10 + round }));
    const { verdict } = await audit([{ value: '7', slot: null }], chain);
    expect(verdict).toEqual({ kind: 'differs', told: ['7'], expected: ['8'] });
    const twice = await audit([{ value: '7', slot: null }], chain.slice(1));
    expect(twice.verdict?.kind).toBe('agree');
  });

  it('is given time where the portal is a moment behind', async () => {
    const behind = { value: '6', slot: 9 };
    const { verdict, chainReads } = await audit(
      [behind, behind, behind, { value: '7', slot: 10 }],
      [{ value: 7, slot: 10 }],
    );
    expect({ kind: verdict?.kind, chainReads }).toEqual({ kind: 'agree', chainReads: 1 });
  });

  it('is not blamed for one odd moment', async () => {
    const { verdict } = await audit(
      [{ value: '7', slot: null }],
      [
        { value: 8, slot: 10 },
        { value: 7, slot: 11 },
      ],
    );
    expect(verdict?.kind).toBe('agree');
  });

  it('is compared as far as both have come where it is told slot by slot, though it moves', async () => {
    const list: Check = {
      figure: 'transactions',
      isBySlot: true,
      ...toldBy('/figure', z.object({ value: z.string() }), ({ value }, chainSlot) =>
        value.split(' ').filter((row) => Number(row) < chainSlot),
      ),
      expected: ({ slot }) => [['1', String(slot)]],
    };
    const growing = [
      { value: '1', slot: null },
      { value: '1 7 12', slot: null },
      { value: '1 7 12 13', slot: null },
    ];
    expect((await audit(growing, [{ value: 7, slot: 10 }], list)).verdict?.kind).toBe('agree');
    expect((await audit(growing, [{ value: 8, slot: 10 }], list)).verdict?.kind).toBe('differs');
  });

  it('is compared as it was told before the chain was read where it is told of slots before, though it moves', async () => {
    const before: Check = { ...check, isOfBefore: true };
    const moving = [
      { value: '7', slot: null },
      { value: '8', slot: null },
    ];
    expect((await audit(moving, [{ value: 7, slot: 10 }], before)).verdict?.kind).toBe('agree');
    const lying = { ...before, expected: () => [['6']] };
    expect((await audit(moving, [{ value: 8, slot: 10 }], lying)).verdict?.kind).toBe('differs');
  });

  it('that has come to the chain’s slot is not asked again, and what has not is', async () => {
    const asked: string[][] = [];
    const slots: Record<string, number[]> = { '/here': [10, 10], '/behind': [10, 9, 9, 10] };
    const figureOf = (path: string): Check => ({
      figure: path,
      ...toldBy(path, z.object({ value: z.string() }), ({ value }) => [value]),
      expected: () => [['1']],
    });
    const findings = await compareInRounds({
      checks: [figureOf('/here'), figureOf('/behind')],
      portal: {
        read: async (calls) => {
          const bodies = new Map(
            [...calls].map((call) => [call, { value: '1', slot: slots[call]?.shift() }]),
          );
          asked.push([...calls]);
          return { answer: (call) => ({ kind: 'body', body: bodies.get(call) }), wallets: [] };
        },
      },
      chain: { read: async () => ({ accounts: { slot: 10 }, slot: 10 }) as unknown as ChainReading },
      pause: async () => {},
    });
    expect(findings.map(({ verdict }) => verdict.kind)).toEqual(['agree', 'agree']);
    expect(asked).toEqual([['/here', '/behind'], ['/here', '/behind'], ['/behind'], ['/behind']]);
  });

  it('cannot be compared while it moves at every reading, or is told at other slots only', async () => {
    const moving = Array.from({ length: 200 }, (_, at) => ({ value: `moving ${at}`, slot: null }));
    expect((await audit(moving, [{ value: 7, slot: 10 }])).verdict).toEqual({
      kind: 'not comparable',
      reason: 'it moved while it was read',
    });
    const ahead = await audit([{ value: '8', slot: 99 }], [{ value: 7, slot: 10 }]);
    expect(ahead.verdict).toEqual({
      kind: 'not comparable',
      reason: 'the endpoint is behind the portal (slot 10 of 99)',
    });
    const behind = await audit([{ value: '8', slot: 9 }], [{ value: 7, slot: 10 }]);
    expect(behind.verdict).toEqual({
      kind: 'not comparable',
      reason: 'the portal is behind the chain (slot 9 of 10)',
    });
  });

  it('cannot be compared where the portal does not know it, and that is no agreement', async () => {
    const { verdict, portalReads } = await audit([{ value: null, slot: null }], [{ value: 7, slot: 10 }]);
    expect(verdict).toEqual({ kind: 'not comparable', reason: 'HTTP 503' });
    expect(portalReads).toBeLessThan(70);
  });
});

describe('the report', () => {
  const agree = { figure: 'stakers', verdict: { kind: 'agree', rows: ['8'] } } as const;
  const unknown = { figure: 'staked', verdict: { kind: 'not comparable', reason: 'HTTP 503' } } as const;
  const differs = {
    figure: 'vault balance',
    verdict: { kind: 'differs', told: ['a', 'x'], expected: ['a', 'y', 'z'] },
  } as const;

  it('says of each figure how it stands, with both values where they differ', () => {
    expect(auditReport([agree, unknown, differs]).split('\n')).toEqual([
      '  stakers        agree           8',
      '  staked         not comparable  HTTP 503',
      '  vault balance  differs         portal: x | chain: y',
      '',
      '1 agree, 1 differ, 1 not comparable',
    ]);
  });

  it('ends with 0 only where all agree, 1 where any differs, 75 where some could not be compared', () => {
    expect(auditExitCode([agree])).toBe(0);
    expect(auditExitCode([agree, unknown])).toBe(75);
    expect(auditExitCode([agree, unknown, differs])).toBe(1);
  });
});
