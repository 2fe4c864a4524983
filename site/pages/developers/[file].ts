import type { APIRoute, GetStaticPaths, InferGetStaticPropsType } from 'astro';
import { clientFiles } from '../../developers/client-files.ts';

/** The API client for other programs: a module and its types. */
export const getStaticPaths = (() =>
  Object.entries(clientFiles()).map(([file, text]) => ({
    params: { file },
    props: { text },
  }))) satisfies GetStaticPaths;

export const GET: APIRoute<InferGetStaticPropsType<typeof getStaticPaths>> = ({ props }) =>
  new Response(props.text);
