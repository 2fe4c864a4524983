import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './data/store/sqlite/index-schema.ts',
  out: './data/store/sqlite/migrations/index',
});
