import { describe, expect, it } from 'vitest';
import { explorerLink } from './explorer-link.ts';

describe('links to the explorer', () => {
  it('name the cluster where it is not the main one', () => {
    const link = (cluster: 'mainnet-beta' | 'devnet') =>
      explorerLink('https://e.example', cluster)?.('tx', 'S');
    expect(link('mainnet-beta')).toBe('https://e.example/tx/S');
    expect(link('devnet')).toBe('https://e.example/tx/S?cluster=devnet');
  });

  it('are none for a chain that the explorer does not show', () => {
    expect(explorerLink('https://e.example', null)).toBeNull();
  });
});
