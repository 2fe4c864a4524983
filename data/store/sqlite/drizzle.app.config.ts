import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: ['./data/store/sqlite/app-schema.ts', './data/store/sqlite/submission-schema.ts'],
  out: './data/store/sqlite/migrations/app',
});
