// An agent program without packages: it asks its model twice, starts a process, and writes down the ids of both.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const [processes, prompt] = process.argv.slice(2);
const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
writeFileSync(join(processes, String(process.pid)), `${process.pid} ${child.pid}`);

const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: key } = process.env;
const messages = [{ role: "user", content: prompt }];
for (const again of ["Are you sure?", undefined]) {
  const response = await fetch(`${baseURL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "any", messages }),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(reply.error.message);
  messages.push(reply.choices[0].message);
  if (again !== undefined) messages.push({ role: "user", content: again });
}
console.log(messages.at(-1).content);
child.kill();
