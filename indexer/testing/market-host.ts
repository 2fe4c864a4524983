import type { ServerResponse } from 'node:http';
import { startHttpServer } from './fake-server.ts';

/** A fake server for DexScreener and Jupiter on a free port of 127.0.0.1. */
export interface MarketHost {
  readonly url: string;
  /** The requested paths, including query strings. */
  readonly requests: string[];
  setAnswer(feed: 'dexscreener' | 'jupiter', answer: MarketAnswer): void;
  close(): Promise<void>;
}

/** A JSON body, or a function that writes the response. */
type MarketAnswer = string | ((response: ServerResponse) => void);

export async function startMarketHost(): Promise<MarketHost> {
  const answers = new Map<string, MarketAnswer>();
  const requests: string[] = [];
  const server = await startHttpServer(({ url = '' }, response) => {
    requests.push(url);
    const answer = answers.get(url.startsWith('/tokens/v1/solana/') ? 'dexscreener' : 'jupiter');
    if (typeof answer === 'function') answer(response);
    else if (answer === undefined) response.writeHead(503).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
  return { ...server, requests, setAnswer: (feed, answer) => void answers.set(feed, answer) };
}

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

/** Numbers as text, so that the body has exactly these digits. */
interface PoolFigures {
  readonly baseMint?: string;
  readonly quoteMint?: string;
  readonly chainId?: string;
  readonly priceUsd?: string | null;
  readonly volume24h?: string | null;
  readonly change24h?: string | null;
  readonly liquidity?: string | null;
}

/** The body of `GET /tokens/v1/solana/{mint}`, in the shape that DexScreener publishes. */
export function dexScreenerBody(mint: string, pools: readonly PoolFigures[]): string {
  return `[${pools.map((pool) => poolBody(mint, pool)).join(',')}]`;
}

function poolBody(mint: string, figures: PoolFigures): string {
  const { baseMint = mint, quoteMint = USDC, chainId = 'solana' } = figures;
  const { priceUsd = '0.0001137', volume24h = '6400.5', change24h = '-1.25', liquidity = '38000' } = figures;
  const priceMember = priceUsd === null ? '' : `"priceUsd":"${priceUsd}",`;
  const membersText = (entries: Readonly<Record<string, string | null>>) =>
    Object.entries(entries)
      .flatMap(([name, value]) => (value === null ? [] : [`"${name}":${value}`]))
      .join(',');
  const liquidityMember =
    liquidity === null ? '' : `"liquidity":{"usd":${liquidity},"base":167000000,"quote":19000},`;
  return `{"chainId":"${chainId}","dexId":"raydium","url":"https://dexscreener.com/solana/pool",
    "pairAddress":"8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj","labels":["CPMM"],
    "baseToken":{"address":"${baseMint}","name":"BlackDuck","symbol":"BD"},
    "quoteToken":{"address":"${quoteMint}","name":"USD Coin","symbol":"USDC"},
    "priceNative":"0.0001137",${priceMember}
    "txns":{"m5":{"buys":0,"sells":1},"h1":{"buys":2,"sells":1},"h6":{"buys":9,"sells":4},"h24":{"buys":30,"sells":21}},
    "volume":{${membersText({ h24: volume24h, h6: '900', h1: '10', m5: '0' })}},
    "priceChange":{${membersText({ h1: '0.1', h24: change24h })}},
    ${liquidityMember}"fdv":113700,"marketCap":112563,"pairCreatedAt":1717577725527,"boosts":{"active":0}}`;
}

/** The body of `GET /price/v3?ids={mint}`, in the shape that Jupiter publishes. */
export function jupiterBody(
  mint: string,
  { usdPrice = '0.0001137', change24h = '-1.25', liquidity = '38000.5' } = {},
): string {
  return `{"${mint}":{"createdAt":"2024-06-05T08:55:25.527Z","liquidity":${liquidity},"usdPrice":${usdPrice},
    "blockId":348004023,"decimals":6,"priceChange24h":${change24h}}}`;
}
