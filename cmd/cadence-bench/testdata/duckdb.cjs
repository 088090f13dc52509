// Runs SQL in DuckDB: node duckdb.cjs FOLDER, where npm has put @duckdb/node-api. Standard
// input is a JSON array of queries; standard output gets an array with the rows of each.
const path = require('node:path')
const { DuckDBInstance } = require(path.join(process.argv[2], 'node_modules', '@duckdb', 'node-api'))

async function main() {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const answers = []
  for (const query of JSON.parse(require('node:fs').readFileSync(0, 'utf8'))) {
    try {
      answers.push((await connection.runAndReadAll(query)).getRowObjectsJson())
    } catch (error) {
      throw new Error(`${error.message}\nin the query\n${query}`)
    }
  }
  process.stdout.write(JSON.stringify(answers))
}

main().catch((error) => {
  console.error(error.message)
  process.exit(1)
})
