import { rolldown } from "rolldown";
import fs from "node:fs";
const R="/work/h/bundle/";
let infos=new Map();
const b = await rolldown({ cwd: R, input: { plugin: "src/plugin.ts" }, platform: "node", plugins:[{name:"g", buildEnd(){ for (const id of this.getModuleIds()) { const i=this.getModuleInfo(id); infos.set(id.replace(R,""), i.importedIds.map(x=>x.replace(R,""))); } }}] });
const { output } = await b.generate({ format: "esm", minify: false });
const size=new Map(); for (const c of output) if (c.type==="chunk") for (const [k,v] of Object.entries(c.modules)) size.set(k.replace(R,""), v.renderedLength);
const closure=(cuts)=>{ const seen=new Set(); const w=["src/plugin.ts"]; for (const id of w) { if(seen.has(id)) continue; seen.add(id); for (const t of infos.get(id)??[]) if(!cuts.some(([f,to])=>id.includes(f)&&t.includes(to))) w.push(t); } return seen; };
const total=(s)=>[...s].reduce((n,x)=>n+(size.get(x)??0),0);
const base=closure([]); console.log("base",total(base));
const importers=(m)=>[...infos].filter(([k,v])=>base.has(k)&&v.some(x=>x.includes(m))).map(([k])=>k);
for (const m of process.argv.slice(2).filter(x=>x.startsWith("?"))) console.log(m, importers(m.slice(1)));
const sets=JSON.parse(fs.readFileSync("/tmp/cuts.json","utf8"));
const all=[]; for (const [n,c] of Object.entries(sets)) { all.push(...c); const s=closure(c), a=closure(all); console.log(n, "alone", total(base)-total(s), "cumulative left", total(a)); }
const left=closure(all); const g=new Map(); for (const k of left) { g.set(k,(size.get(k)??0)); } console.log([...g].sort((a,b)=>b[1]-a[1]).slice(0,60).map(x=>x[1]+" "+x[0]).join("\n"));
