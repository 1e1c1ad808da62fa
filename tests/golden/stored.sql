-- SPDX-License-Identifier: Apache-2.0
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE cell (  -- A cell: device × compiler, version, options, threads, precision × model × batch size.
  cell_key INTEGER PRIMARY KEY,  -- within this file; in the order of the study
  cell_id TEXT NOT NULL UNIQUE,  -- 16 hexadecimal digits over all of the above; the same in every file
  device TEXT NOT NULL,  -- name in the study
  model_key INTEGER NOT NULL REFERENCES model,  -- the model at its batch size
  toolchain_key INTEGER NOT NULL REFERENCES toolchain,  -- the compiler and its version
  compiler TEXT NOT NULL,  -- name
  compiler_label TEXT NOT NULL,  -- name in the study, unique there
  compiler_version TEXT NOT NULL,  -- empty for a compiler without versions
  options_json TEXT NOT NULL,  -- JSON object
  precision TEXT NOT NULL,  -- f32, …
  planned_processes INTEGER NOT NULL,  -- fresh worker processes to be measured
  load TEXT NOT NULL DEFAULT 'none',  -- what ran beside it while it was timed, as in the study
  threads_asked TEXT,  -- all, physical: the device decides how many; NULL: the study did
  threads INTEGER,  -- threads that the compiler may use; NULL: no process has reported them yet
  settings_json TEXT NOT NULL DEFAULT '{}',  -- JSON object: properties of the compiler's own library that the study hands on
  in_flight TEXT NOT NULL DEFAULT '1',  -- inferences at a time: a number, or auto (the fact in_flight says how many)
  instances INTEGER NOT NULL DEFAULT 1  -- sessions at once, each in a process with threads and processors of its own
) STRICT;
INSERT INTO "cell" VALUES(1,'fe9ef89cf4e00898','local',1,1,'identity','identity','2.15.0','{}','f32',3,'none',NULL,1,'{}','1',1);
INSERT INTO "cell" VALUES(2,'77e684e9c38c84b9','local',1,2,'onnxruntime','onnxruntime','1.31.1','{}','f32',3,'none',NULL,1,'{}','1',1);
INSERT INTO "cell" VALUES(3,'18e954ae5c6afeee','local',1,3,'null','null fault=none','','{}','f32',3,'none',NULL,1,'{}','1',1);
INSERT INTO "cell" VALUES(4,'b5cd408f7f813537','local',1,3,'null','null fault=crash','','{"fault":"crash"}','f32',3,'none',NULL,1,'{}','1',1);
INSERT INTO "cell" VALUES(5,'895f5b58204ea2c8','local',2,1,'identity','identity','2.15.0','{}','f32',3,'none',NULL,1,'{}','1',1);
INSERT INTO "cell" VALUES(6,'a0e5766aeddc6421','local',2,2,'onnxruntime','onnxruntime','1.31.1','{}','f32',3,'none',NULL,1,'{}','1',1);
INSERT INTO "cell" VALUES(7,'1d74636fcc43f600','local',2,3,'null','null fault=none','','{}','f32',3,'none',NULL,1,'{}','1',1);
INSERT INTO "cell" VALUES(8,'e009301f2fd196b6','local',2,3,'null','null fault=crash','','{"fault":"crash"}','f32',3,'none',NULL,1,'{}','1',1);
CREATE TABLE conclusion (  -- What the results as a whole say.
  position INTEGER PRIMARY KEY,  -- in the order in which `ngb show --findings` prints them
  part_key INTEGER NOT NULL REFERENCES series_part,  -- the part: all cells together
  kind TEXT NOT NULL,  -- finding, reversal, claim
  sentence TEXT NOT NULL,  -- for people
  rows_json TEXT NOT NULL  -- JSON object with the numbers behind it
) STRICT;
CREATE TABLE derived (  -- Metrics of cells; docs/metrics.md has the formulas.
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  position INTEGER NOT NULL,  -- 0, 1, … in the order of metrics
  metric TEXT NOT NULL,  -- name with unit; flag_…: a reason to check the number, with the value that raised it
  value REAL,  -- NULL: there is none
  low REAL,  -- 95 % interval; NULL: the metric has none
  high REAL,  -- 95 % interval; NULL: the metric has none
  reason TEXT NOT NULL,  -- why there is no value; empty when there is one
  PRIMARY KEY (cell_key, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE derived_family (  -- The cells of one device and model whose values are kept.
  device TEXT NOT NULL,  -- name in the study
  model_hash TEXT NOT NULL,  -- of the model, at all its batch sizes
  made_of TEXT NOT NULL,  -- SHA-256 over formulas, baseline and processes; once it differs, the family's rows of derived are out of date
  PRIMARY KEY (device, model_hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE environment (  -- The environment of measurements: one row for each time that a device described itself.
  environment_key INTEGER PRIMARY KEY,  -- within this file
  run_key INTEGER NOT NULL REFERENCES run,  -- the run
  device TEXT NOT NULL,  -- the device
  sequence INTEGER NOT NULL,  -- of its event
  environment_hash TEXT NOT NULL,  -- SHA-256 over the entries that take part; results of different ones are not pooled
  UNIQUE (run_key, device, sequence)
) STRICT;
INSERT INTO "environment" VALUES(1,1,'local',1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246');
CREATE TABLE environment_entry (  -- One property that a device reported about itself.
  environment_key INTEGER NOT NULL REFERENCES environment,  -- the environment
  name TEXT NOT NULL,  -- cpu_model, kernel, memory_total, …
  unit TEXT NOT NULL,  -- of the value; empty for text
  value TEXT,  -- NULL: unknown to the device
  unknown_reason TEXT,  -- why it is unknown to the device
  is_identity INTEGER NOT NULL CHECK (is_identity IN (0, 1)),  -- 1: takes part in environment_hash
  PRIMARY KEY (environment_key, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "environment_entry" VALUES(1,'affinity','','0-1',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'agent_build','','c7dbc2bf4d529703df60b9d923e549c80fdf84bf961f5f42af7cca1b1c22763a',NULL,0);
INSERT INTO "environment_entry" VALUES(1,'agent_version','','0.1.0',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'boot_id','','5981c536-1c12-4f84-8187-a8421ab70af3',NULL,0);
INSERT INTO "environment_entry" VALUES(1,'cgroup_cpu_limit','','none',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'cgroup_memory_limit','','none',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'container','','docker',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'cpu_cores','1','2',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'cpu_features','','avx avx2 fma f16c avx512f avx512_vnni avx512_bf16 avx_vnni',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'cpu_governor','',NULL,'no cpufreq in /sys: the machine does not show its clock',1);
INSERT INTO "environment_entry" VALUES(1,'cpu_max_frequency','hz',NULL,'no cpufreq in /sys: the machine does not show its clock',1);
INSERT INTO "environment_entry" VALUES(1,'cpu_microcode','','0x1000065',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'cpu_model','','AMD EPYC',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'cpu_smt','','not supported',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'cpu_threads','1','2',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'cpu_turbo','',NULL,'neither intel_pstate/no_turbo nor cpufreq/boost in /sys',1);
INSERT INTO "environment_entry" VALUES(1,'glibc','','2.36',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'gpu','',NULL,'no NVIDIA GPU with a loaded driver',1);
INSERT INTO "environment_entry" VALUES(1,'gpu_driver','',NULL,'no /sys/module/nvidia/version on this machine',1);
INSERT INTO "environment_entry" VALUES(1,'hypervisor','','yes',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'kernel','','6.18.44',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'machine','',NULL,'neither a device tree nor DMI names the machine',1);
INSERT INTO "environment_entry" VALUES(1,'memory_total','bytes','25276510208',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'numa_nodes','','node0: 0-1',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'operating_system','','Debian GNU/Linux 12 (bookworm)',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'transparent_huge_pages','','madvise',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'variable_OPENBLAS_CORETYPE','','Haswell',NULL,1);
INSERT INTO "environment_entry" VALUES(1,'variable_OPENBLAS_L2_SIZE','','512',NULL,1);
CREATE TABLE event (  -- An event that a device has sent; each is recorded once.
  run_key INTEGER NOT NULL,  -- the run
  device TEXT NOT NULL,  -- the device
  sequence INTEGER NOT NULL,  -- 1, 2, … without gaps, within a run and device
  kind TEXT NOT NULL,  -- process, duplicate (a process that was recorded already), model, environment, finished
  PRIMARY KEY (run_key, device, sequence),
  FOREIGN KEY (run_key, device) REFERENCES run_device
) STRICT, WITHOUT ROWID;
INSERT INTO "event" VALUES(1,'local',1,'environment');
INSERT INTO "event" VALUES(1,'local',2,'model');
INSERT INTO "event" VALUES(1,'local',3,'process');
INSERT INTO "event" VALUES(1,'local',4,'process');
INSERT INTO "event" VALUES(1,'local',5,'process');
INSERT INTO "event" VALUES(1,'local',6,'process');
INSERT INTO "event" VALUES(1,'local',7,'process');
INSERT INTO "event" VALUES(1,'local',8,'process');
INSERT INTO "event" VALUES(1,'local',9,'process');
INSERT INTO "event" VALUES(1,'local',10,'process');
INSERT INTO "event" VALUES(1,'local',11,'model');
INSERT INTO "event" VALUES(1,'local',12,'process');
INSERT INTO "event" VALUES(1,'local',13,'process');
INSERT INTO "event" VALUES(1,'local',14,'process');
INSERT INTO "event" VALUES(1,'local',15,'process');
INSERT INTO "event" VALUES(1,'local',16,'process');
INSERT INTO "event" VALUES(1,'local',17,'process');
INSERT INTO "event" VALUES(1,'local',18,'process');
INSERT INTO "event" VALUES(1,'local',19,'process');
INSERT INTO "event" VALUES(1,'local',20,'finished');
CREATE TABLE fact (  -- A fact that a compiler reported about itself in a process.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  name TEXT NOT NULL,  -- of the fact
  value TEXT NOT NULL,  -- as the compiler wrote it
  PRIMARY KEY (process_key, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "fact" VALUES(1,'affinity','1');
INSERT INTO "fact" VALUES(1,'cpu_capability','AVX512');
INSERT INTO "fact" VALUES(1,'device','cpu');
INSERT INTO "fact" VALUES(1,'eval_mode','true');
INSERT INTO "fact" VALUES(1,'gradients','false');
INSERT INTO "fact" VALUES(1,'import_ns','2619458987');
INSERT INTO "fact" VALUES(1,'inference_mode','true');
INSERT INTO "fact" VALUES(1,'interop_threads','1');
INSERT INTO "fact" VALUES(1,'library','/toolchains/identity/2.15.0/site/torch/__init__.py');
INSERT INTO "fact" VALUES(1,'matmul_precision','highest');
INSERT INTO "fact" VALUES(1,'mkl','2024.2-Product');
INSERT INTO "fact" VALUES(1,'module','ngraphbench_compiler.families.mlp.Mlp');
INSERT INTO "fact" VALUES(1,'onednn','v3.13.3');
INSERT INTO "fact" VALUES(1,'onnx2torch_version','unknown');
INSERT INTO "fact" VALUES(1,'precision','f32');
INSERT INTO "fact" VALUES(1,'threads','1');
INSERT INTO "fact" VALUES(1,'threads_at_fork','1');
INSERT INTO "fact" VALUES(1,'timm_version','1.0.31');
INSERT INTO "fact" VALUES(1,'torchvision_version','0.29.2+cu132');
INSERT INTO "fact" VALUES(1,'version','2.15.0+cu132');
INSERT INTO "fact" VALUES(1,'weights','torch.float32');
INSERT INTO "fact" VALUES(1,'weights_device','cpu');
INSERT INTO "fact" VALUES(2,'affinity','1');
INSERT INTO "fact" VALUES(2,'device','cpu');
INSERT INTO "fact" VALUES(2,'precision','f32');
INSERT INTO "fact" VALUES(2,'threads','1');
INSERT INTO "fact" VALUES(2,'version','1');
INSERT INTO "fact" VALUES(3,'affinity','1');
INSERT INTO "fact" VALUES(3,'api_version','11');
INSERT INTO "fact" VALUES(3,'device','cpu');
INSERT INTO "fact" VALUES(3,'precision','f32');
INSERT INTO "fact" VALUES(3,'provider','CPUExecutionProvider');
INSERT INTO "fact" VALUES(3,'threads','1');
INSERT INTO "fact" VALUES(3,'version','1.31.1');
INSERT INTO "fact" VALUES(4,'affinity','1');
INSERT INTO "fact" VALUES(4,'device','cpu');
INSERT INTO "fact" VALUES(4,'precision','f32');
INSERT INTO "fact" VALUES(4,'threads','1');
INSERT INTO "fact" VALUES(4,'version','1');
INSERT INTO "fact" VALUES(5,'affinity','1');
INSERT INTO "fact" VALUES(5,'cpu_capability','AVX512');
INSERT INTO "fact" VALUES(5,'device','cpu');
INSERT INTO "fact" VALUES(5,'eval_mode','true');
INSERT INTO "fact" VALUES(5,'gradients','false');
INSERT INTO "fact" VALUES(5,'import_ns','2619458987');
INSERT INTO "fact" VALUES(5,'inference_mode','true');
INSERT INTO "fact" VALUES(5,'interop_threads','1');
INSERT INTO "fact" VALUES(5,'library','/toolchains/identity/2.15.0/site/torch/__init__.py');
INSERT INTO "fact" VALUES(5,'matmul_precision','highest');
INSERT INTO "fact" VALUES(5,'mkl','2024.2-Product');
INSERT INTO "fact" VALUES(5,'module','ngraphbench_compiler.families.mlp.Mlp');
INSERT INTO "fact" VALUES(5,'onednn','v3.13.3');
INSERT INTO "fact" VALUES(5,'onnx2torch_version','unknown');
INSERT INTO "fact" VALUES(5,'precision','f32');
INSERT INTO "fact" VALUES(5,'threads','1');
INSERT INTO "fact" VALUES(5,'threads_at_fork','1');
INSERT INTO "fact" VALUES(5,'timm_version','1.0.31');
INSERT INTO "fact" VALUES(5,'torchvision_version','0.29.2+cu132');
INSERT INTO "fact" VALUES(5,'version','2.15.0+cu132');
INSERT INTO "fact" VALUES(5,'weights','torch.float32');
INSERT INTO "fact" VALUES(5,'weights_device','cpu');
INSERT INTO "fact" VALUES(6,'affinity','1');
INSERT INTO "fact" VALUES(6,'api_version','11');
INSERT INTO "fact" VALUES(6,'device','cpu');
INSERT INTO "fact" VALUES(6,'precision','f32');
INSERT INTO "fact" VALUES(6,'provider','CPUExecutionProvider');
INSERT INTO "fact" VALUES(6,'threads','1');
INSERT INTO "fact" VALUES(6,'version','1.31.1');
INSERT INTO "fact" VALUES(7,'affinity','1');
INSERT INTO "fact" VALUES(7,'cpu_capability','AVX512');
INSERT INTO "fact" VALUES(7,'device','cpu');
INSERT INTO "fact" VALUES(7,'eval_mode','true');
INSERT INTO "fact" VALUES(7,'gradients','false');
INSERT INTO "fact" VALUES(7,'import_ns','2619458987');
INSERT INTO "fact" VALUES(7,'inference_mode','true');
INSERT INTO "fact" VALUES(7,'interop_threads','1');
INSERT INTO "fact" VALUES(7,'library','/toolchains/identity/2.15.0/site/torch/__init__.py');
INSERT INTO "fact" VALUES(7,'matmul_precision','highest');
INSERT INTO "fact" VALUES(7,'mkl','2024.2-Product');
INSERT INTO "fact" VALUES(7,'module','ngraphbench_compiler.families.mlp.Mlp');
INSERT INTO "fact" VALUES(7,'onednn','v3.13.3');
INSERT INTO "fact" VALUES(7,'onnx2torch_version','unknown');
INSERT INTO "fact" VALUES(7,'precision','f32');
INSERT INTO "fact" VALUES(7,'threads','1');
INSERT INTO "fact" VALUES(7,'threads_at_fork','1');
INSERT INTO "fact" VALUES(7,'timm_version','1.0.31');
INSERT INTO "fact" VALUES(7,'torchvision_version','0.29.2+cu132');
INSERT INTO "fact" VALUES(7,'version','2.15.0+cu132');
INSERT INTO "fact" VALUES(7,'weights','torch.float32');
INSERT INTO "fact" VALUES(7,'weights_device','cpu');
INSERT INTO "fact" VALUES(8,'affinity','1');
INSERT INTO "fact" VALUES(8,'api_version','11');
INSERT INTO "fact" VALUES(8,'device','cpu');
INSERT INTO "fact" VALUES(8,'precision','f32');
INSERT INTO "fact" VALUES(8,'provider','CPUExecutionProvider');
INSERT INTO "fact" VALUES(8,'threads','1');
INSERT INTO "fact" VALUES(8,'version','1.31.1');
INSERT INTO "fact" VALUES(9,'affinity','1');
INSERT INTO "fact" VALUES(9,'api_version','11');
INSERT INTO "fact" VALUES(9,'device','cpu');
INSERT INTO "fact" VALUES(9,'precision','f32');
INSERT INTO "fact" VALUES(9,'provider','CPUExecutionProvider');
INSERT INTO "fact" VALUES(9,'threads','1');
INSERT INTO "fact" VALUES(9,'version','1.31.1');
INSERT INTO "fact" VALUES(10,'affinity','1');
INSERT INTO "fact" VALUES(10,'device','cpu');
INSERT INTO "fact" VALUES(10,'precision','f32');
INSERT INTO "fact" VALUES(10,'threads','1');
INSERT INTO "fact" VALUES(10,'version','1');
INSERT INTO "fact" VALUES(11,'affinity','1');
INSERT INTO "fact" VALUES(11,'cpu_capability','AVX512');
INSERT INTO "fact" VALUES(11,'device','cpu');
INSERT INTO "fact" VALUES(11,'eval_mode','true');
INSERT INTO "fact" VALUES(11,'gradients','false');
INSERT INTO "fact" VALUES(11,'import_ns','2619458987');
INSERT INTO "fact" VALUES(11,'inference_mode','true');
INSERT INTO "fact" VALUES(11,'interop_threads','1');
INSERT INTO "fact" VALUES(11,'library','/toolchains/identity/2.15.0/site/torch/__init__.py');
INSERT INTO "fact" VALUES(11,'matmul_precision','highest');
INSERT INTO "fact" VALUES(11,'mkl','2024.2-Product');
INSERT INTO "fact" VALUES(11,'module','ngraphbench_compiler.families.mlp.Mlp');
INSERT INTO "fact" VALUES(11,'onednn','v3.13.3');
INSERT INTO "fact" VALUES(11,'onnx2torch_version','unknown');
INSERT INTO "fact" VALUES(11,'precision','f32');
INSERT INTO "fact" VALUES(11,'threads','1');
INSERT INTO "fact" VALUES(11,'threads_at_fork','1');
INSERT INTO "fact" VALUES(11,'timm_version','1.0.31');
INSERT INTO "fact" VALUES(11,'torchvision_version','0.29.2+cu132');
INSERT INTO "fact" VALUES(11,'version','2.15.0+cu132');
INSERT INTO "fact" VALUES(11,'weights','torch.float32');
INSERT INTO "fact" VALUES(11,'weights_device','cpu');
INSERT INTO "fact" VALUES(12,'affinity','1');
INSERT INTO "fact" VALUES(12,'device','cpu');
INSERT INTO "fact" VALUES(12,'precision','f32');
INSERT INTO "fact" VALUES(12,'threads','1');
INSERT INTO "fact" VALUES(12,'version','1');
INSERT INTO "fact" VALUES(13,'affinity','1');
INSERT INTO "fact" VALUES(13,'api_version','11');
INSERT INTO "fact" VALUES(13,'device','cpu');
INSERT INTO "fact" VALUES(13,'precision','f32');
INSERT INTO "fact" VALUES(13,'provider','CPUExecutionProvider');
INSERT INTO "fact" VALUES(13,'threads','1');
INSERT INTO "fact" VALUES(13,'version','1.31.1');
INSERT INTO "fact" VALUES(14,'affinity','1');
INSERT INTO "fact" VALUES(14,'cpu_capability','AVX512');
INSERT INTO "fact" VALUES(14,'device','cpu');
INSERT INTO "fact" VALUES(14,'eval_mode','true');
INSERT INTO "fact" VALUES(14,'gradients','false');
INSERT INTO "fact" VALUES(14,'import_ns','2619458987');
INSERT INTO "fact" VALUES(14,'inference_mode','true');
INSERT INTO "fact" VALUES(14,'interop_threads','1');
INSERT INTO "fact" VALUES(14,'library','/toolchains/identity/2.15.0/site/torch/__init__.py');
INSERT INTO "fact" VALUES(14,'matmul_precision','highest');
INSERT INTO "fact" VALUES(14,'mkl','2024.2-Product');
INSERT INTO "fact" VALUES(14,'module','ngraphbench_compiler.families.mlp.Mlp');
INSERT INTO "fact" VALUES(14,'onednn','v3.13.3');
INSERT INTO "fact" VALUES(14,'onnx2torch_version','unknown');
INSERT INTO "fact" VALUES(14,'precision','f32');
INSERT INTO "fact" VALUES(14,'threads','1');
INSERT INTO "fact" VALUES(14,'threads_at_fork','1');
INSERT INTO "fact" VALUES(14,'timm_version','1.0.31');
INSERT INTO "fact" VALUES(14,'torchvision_version','0.29.2+cu132');
INSERT INTO "fact" VALUES(14,'version','2.15.0+cu132');
INSERT INTO "fact" VALUES(14,'weights','torch.float32');
INSERT INTO "fact" VALUES(14,'weights_device','cpu');
INSERT INTO "fact" VALUES(15,'affinity','1');
INSERT INTO "fact" VALUES(15,'cpu_capability','AVX512');
INSERT INTO "fact" VALUES(15,'device','cpu');
INSERT INTO "fact" VALUES(15,'eval_mode','true');
INSERT INTO "fact" VALUES(15,'gradients','false');
INSERT INTO "fact" VALUES(15,'import_ns','2619458987');
INSERT INTO "fact" VALUES(15,'inference_mode','true');
INSERT INTO "fact" VALUES(15,'interop_threads','1');
INSERT INTO "fact" VALUES(15,'library','/toolchains/identity/2.15.0/site/torch/__init__.py');
INSERT INTO "fact" VALUES(15,'matmul_precision','highest');
INSERT INTO "fact" VALUES(15,'mkl','2024.2-Product');
INSERT INTO "fact" VALUES(15,'module','ngraphbench_compiler.families.mlp.Mlp');
INSERT INTO "fact" VALUES(15,'onednn','v3.13.3');
INSERT INTO "fact" VALUES(15,'onnx2torch_version','unknown');
INSERT INTO "fact" VALUES(15,'precision','f32');
INSERT INTO "fact" VALUES(15,'threads','1');
INSERT INTO "fact" VALUES(15,'threads_at_fork','1');
INSERT INTO "fact" VALUES(15,'timm_version','1.0.31');
INSERT INTO "fact" VALUES(15,'torchvision_version','0.29.2+cu132');
INSERT INTO "fact" VALUES(15,'version','2.15.0+cu132');
INSERT INTO "fact" VALUES(15,'weights','torch.float32');
INSERT INTO "fact" VALUES(15,'weights_device','cpu');
INSERT INTO "fact" VALUES(16,'affinity','1');
INSERT INTO "fact" VALUES(16,'api_version','11');
INSERT INTO "fact" VALUES(16,'device','cpu');
INSERT INTO "fact" VALUES(16,'precision','f32');
INSERT INTO "fact" VALUES(16,'provider','CPUExecutionProvider');
INSERT INTO "fact" VALUES(16,'threads','1');
INSERT INTO "fact" VALUES(16,'version','1.31.1');
CREATE TABLE failure (  -- The reason why a process has no result.
  process_key INTEGER PRIMARY KEY REFERENCES process,  -- the process
  kind TEXT NOT NULL,  -- crash, exit, timeout, out_of_memory, unsupported_operator, inaccurate, …
  phase TEXT NOT NULL,  -- where it failed
  message TEXT NOT NULL,  -- what failed
  advice TEXT NOT NULL,  -- what to do next; may be empty
  signal INTEGER,  -- of a crash
  exit_code INTEGER  -- of an exit
) STRICT;
INSERT INTO "failure" VALUES(2,'inaccurate','check','outputs compared with those of identity 2.15.0: output "output" is f32 [1, 784], the reference f32 [1, 1000] (logs/b5cd408f7f813537-0-1.log is empty)','look for reduced precision among the compiler''s options, or set the study''s tolerances if this is expected',NULL,NULL);
INSERT INTO "failure" VALUES(4,'inaccurate','check','outputs compared with those of identity 2.15.0: output "output" is f32 [1, 784], the reference f32 [1, 1000] (logs/18e954ae5c6afeee-0-1.log is empty)','look for reduced precision among the compiler''s options, or set the study''s tolerances if this is expected',NULL,NULL);
INSERT INTO "failure" VALUES(10,'inaccurate','check','outputs compared with those of identity 2.15.0: output "output" is f32 [2, 784], the reference f32 [2, 1000] (logs/e009301f2fd196b6-0-1.log is empty)','look for reduced precision among the compiler''s options, or set the study''s tolerances if this is expected',NULL,NULL);
INSERT INTO "failure" VALUES(12,'inaccurate','check','outputs compared with those of identity 2.15.0: output "output" is f32 [2, 784], the reference f32 [2, 1000] (logs/1d74636fcc43f600-0-1.log is empty)','look for reduced precision among the compiler''s options, or set the study''s tolerances if this is expected',NULL,NULL);
CREATE TABLE kept_state (  -- The state of the file in which derived and series were saved last; no row: they are empty or out of date.
  id INTEGER PRIMARY KEY CHECK (id = 1),  -- 1
  revision INTEGER NOT NULL,  -- of the results
  change_counter INTEGER NOT NULL  -- of the file's header; if it grew otherwise than the revision, all that is kept is out of date
) STRICT;
CREATE TABLE latency (  -- The time from the start to the end of one inference, of several in flight.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  repetition_index INTEGER NOT NULL,  -- the repetition in which it ended
  position INTEGER NOT NULL,  -- 0, 1, … in the order in which inferences ended; of a long repetition every so-many-th is kept
  latency_ns INTEGER NOT NULL,  -- the time
  PRIMARY KEY (process_key, repetition_index, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE made_with (  -- The parts that processes were made with, each by SHA-256; empty text: not used.
  made_with_key INTEGER PRIMARY KEY,  -- within this file
  build_sha256 TEXT NOT NULL,  -- over manifest, worker, package, plugin and exporter
  manifest_sha256 TEXT NOT NULL,  -- the toolchain's, as in manifest
  worker_sha256 TEXT NOT NULL,  -- the program ngb-worker, which also makes the models of recipes
  package_sha256 TEXT NOT NULL,  -- the Python package ngraphbench
  plugin_sha256 TEXT NOT NULL,  -- the compiler's folder: plugin or adaptor
  exporter_sha256 TEXT NOT NULL,  -- folder and toolchain of the compiler that exports PyTorch modules
  files_sha256 TEXT NOT NULL,  -- the user's files: model, module, weights, inputs
  model_sha256 TEXT NOT NULL,  -- the model file, with the weights beside it
  reference_key TEXT NOT NULL,  -- hash of everything the reference outputs depend on
  reference_sha256 TEXT NOT NULL,  -- the data of the reference outputs
  UNIQUE (build_sha256, files_sha256, model_sha256, reference_key, reference_sha256)
) STRICT;
CREATE TABLE manifest (  -- The packages of a toolchain: one row for each build that was ever recorded.
  manifest_sha256 TEXT PRIMARY KEY NOT NULL,  -- over compiler, version and packages: the same wheels give the same one
  manifest_json TEXT NOT NULL  -- packages with versions, sizes and hashes
) STRICT, WITHOUT ROWID;
INSERT INTO "manifest" VALUES('d5f3d4598476ba336683ddff8d6624c8edc8891dcdf9aa17e4c07dd9b83a1563','{
  "adopted": false,
  "compiler": "onnxruntime",
  "created": "2026-11-23T11:45:32Z",
  "format": 1,
  "packages": [
    {
      "name": "onnxruntime",
      "sha256": "5752bd508126ae7c49894d3b9d2e83f0c3d487319246d04c444b393308d7ad7f",
      "size_bytes": 68977272,
      "version": "1.31.1"
    }
  ],
  "python": "/usr/bin/python3.11",
  "python_version": "3.11.7",
  "sha256": "4b00bee11581e5c0a9a90e928bf02d9f06e18b96b921acb61a6e40b16e5245a7",
  "site": "site",
  "size_bytes": 68977272,
  "version": "1.31.1"
}
');
INSERT INTO "manifest" VALUES('e15429e9aa029e25d2fe3006046a19c8ea404ac128ae3a35552a1695c59823c1','{
  "adopted": false,
  "compiler": "identity",
  "created": "2026-11-23T11:46:29Z",
  "format": 1,
  "packages": [
    {
      "name": "anyio",
      "sha256": "c66ae634e0b8228396b801741beb3294326d4b6102f7bba4041c0dfb58c29026",
      "size_bytes": 1382143,
      "version": "4.16.0"
    },
    {
      "name": "click",
      "sha256": "8bb5376d2006950386f8c6427613334a2acadc5f559cb80e638d00b4df957e37",
      "size_bytes": 1002243,
      "version": "8.5.1"
    },
    {
      "name": "cuda-toolkit",
      "sha256": "d12edc1aad1356236a2ee10c0d794b1aff5d3e79bfeca54867c3bb8e5afd87b0",
      "size_bytes": 20974,
      "version": "13.2.2"
    },
    {
      "name": "filelock",
      "sha256": "21decfec02f116ed4c954433cdb31f28c3b346b784543177b6d7059da2702ee9",
      "size_bytes": 1807831,
      "version": "4.2.12"
    },
    {
      "name": "fsspec",
      "sha256": "8dd6e646e99ea382bd85f97a45e6b526a442d79423a7dc673f1e2756d05fcb5f",
      "size_bytes": 1956609,
      "version": "2026.9.0"
    },
    {
      "name": "h11",
      "sha256": "63cf8bbe7522de3bf65932fda1d9c2772064ffb3dae62d55932da54b31cb6c86",
      "size_bytes": 196464,
      "version": "0.16.0"
    },
    {
      "name": "hf-xet",
      "sha256": "29dab7c904cd1914a0439c6e1306c12c7497c8bd32290fbe563ebf51ca4b6d6d",
      "size_bytes": 11727910,
      "version": "1.8.0"
    },
    {
      "name": "httpcore2",
      "sha256": "16051ae2a42f776007543f32de9349a317b23d2cbb4e1456b4bac0e88b87419a",
      "size_bytes": 699352,
      "version": "2.16.2"
    },
    {
      "name": "httpx2",
      "sha256": "f05c13aade4c45dbf1c9060647a1058f0acad62398fad96e741269edb33d46f5",
      "size_bytes": 941164,
      "version": "2.16.2"
    },
    {
      "name": "huggingface-hub",
      "sha256": "42ecfd93ede47bdd333daebbf66a32d7bfe2e18752754fe4d2d4f98a0179d801",
      "size_bytes": 7164082,
      "version": "2.4.0"
    },
    {
      "name": "idna",
      "sha256": "ab7ae7122974553370f0bdb919e1a960b2cd1bc1ef0276416d896db81c14582c",
      "size_bytes": 526145,
      "version": "3.20"
    },
    {
      "name": "jinja2",
      "sha256": "85ece4451f492d0c13c5dd7c13a64681a86afae63a5f347908daf103ce6d2f67",
      "size_bytes": 1216473,
      "version": "3.1.6"
    },
    {
      "name": "markupsafe",
      "sha256": "6da83a088f8ef93b2d483a8232a4dbf4d69d3d8496b568a03c56becac43e1808",
      "size_bytes": 94131,
      "version": "3.0.4"
    },
    {
      "name": "ml-dtypes",
      "sha256": "6c8e39b53e90afda8ce52859c93de4dba3e02b76d85dcf091cc469f9184c6dae",
      "size_bytes": 1860470,
      "version": "0.6.0"
    },
    {
      "name": "mpmath",
      "sha256": "a0b2b9fe80bbcd81a6647ff13108738cfb482d481d826cc0e02f5b35e5c88d2c",
      "size_bytes": 4873445,
      "version": "1.3.0"
    },
    {
      "name": "networkx",
      "sha256": "d47fbf302e7d9cbbb9e2555a0d267983d2aa476bac30e90dfbe5669bd57f3762",
      "size_bytes": 16616580,
      "version": "3.6.1"
    },
    {
      "name": "numpy",
      "sha256": "89cd468399cfd2504718f0ba50e410dca55a170b61a02ad92bb18c8a65186e93",
      "size_bytes": 71432596,
      "version": "2.4.6"
    },
    {
      "name": "nvidia-cublas",
      "sha256": "a5917cb642cfb07f4a0231ee16aec7e2e0357d8cb8b1b78a0c9c68dba3e6afc7",
      "size_bytes": 563824147,
      "version": "13.4.1.3"
    },
    {
      "name": "nvidia-cuda-cupti",
      "sha256": "8fa29f15dd8336181f961764d9d95236fc6b931dd0c8fcf8cd70aab0c310b586",
      "size_bytes": 49447402,
      "version": "13.2.86"
    },
    {
      "name": "nvidia-cuda-nvrtc",
      "sha256": "8111c5130e967b78222ea2124145f8efe9ce201b752b2579a2513100a53be1c5",
      "size_bytes": 119883094,
      "version": "13.2.86"
    },
    {
      "name": "nvidia-cuda-runtime",
      "sha256": "3498247680dfddce31bad102af7e3e26fc795342a3cac64722bb0fa95e7f60f0",
      "size_bytes": 7606543,
      "version": "13.2.86"
    },
    {
      "name": "nvidia-cudnn-cu13",
      "sha256": "9c976d539786698c71d6bcdbe2053b7485fae062ff7e1215d2f2ff67b1a2149a",
      "size_bytes": 888835703,
      "version": "9.26.0.51"
    },
    {
      "name": "nvidia-cufft",
      "sha256": "34da27fadf3979b0b042c43823f0530be8408b86df31ee0108e1ca0b621d4ef6",
      "size_bytes": 291969072,
      "version": "12.2.0.57"
    },
    {
      "name": "nvidia-cufile",
      "sha256": "87feaf8c3ad20d3d03a01933181801ff6892bace5c8f0b1e4b48f319d3e62d36",
      "size_bytes": 3974299,
      "version": "1.17.1.22"
    },
    {
      "name": "nvidia-cusparse",
      "sha256": "25907c75e4db1581685f06f61cc6cdecc04611765516a52373e0a18ebd69fa00",
      "size_bytes": 167896238,
      "version": "12.7.10.12"
    },
    {
      "name": "nvidia-cusparselt-cu13",
      "sha256": "786ce87568c303fadb5afcc7102d454cd3040d75f6f8626f5db460d1871f4dd0",
      "size_bytes": 233961923,
      "version": "0.8.1"
    },
    {
      "name": "nvidia-nccl-cu13",
      "sha256": "cefa7fdb9710efd0f39c5f1be1d61ff6fc9a996c451265bd7fbdcf9455ed4b50",
      "size_bytes": 253342674,
      "version": "2.30.7"
    },
    {
      "name": "nvidia-nvjitlink",
      "sha256": "280d7cb9649704145f074b8dbde500de04ce02d0872e066e20a83c17bcaa93eb",
      "size_bytes": 117330772,
      "version": "13.5.37"
    },
    {
      "name": "nvidia-nvshmem-cu13",
      "sha256": "b9a4f843c62b5dded8ad33fd6d220e007dcd39f06cee549292f5ba14ce4c235c",
      "size_bytes": 201245826,
      "version": "3.7.2"
    },
    {
      "name": "onnx",
      "sha256": "c03ecf6b835d136108eeaeeafbd0026fc7b3cf98661409fbc6b63d5a29361348",
      "size_bytes": 26324317,
      "version": "1.23.2"
    },
    {
      "name": "onnx2torch",
      "sha256": "123258e0f147e07b259cf845c8113c5634b8260e52c5fb26b7d507226732d9e5",
      "size_bytes": 539128,
      "version": "1.5.15"
    },
    {
      "name": "packaging",
      "sha256": "d7193f7c8e4e93f444fde0262bf90af30e16fa0ad0ad44cb553c87339b23cd1c",
      "size_bytes": 1039810,
      "version": "26.3"
    },
    {
      "name": "pillow",
      "sha256": "a625df9a2a5597fa5e5266e01aefc82604bb85d291e3547981e863560d75da6c",
      "size_bytes": 21910018,
      "version": "13.0.0"
    },
    {
      "name": "protobuf",
      "sha256": "89f23aa53c24553a2416fd4fd1ec06f74fa42b14b546d8883128813f775bbfd2",
      "size_bytes": 2431795,
      "version": "7.36.2"
    },
    {
      "name": "pyyaml",
      "sha256": "b8bb0864c5a28024fac8a632c443c87c5aa6f215c0b126c449ae1a150412f31d",
      "size_bytes": 3153099,
      "version": "6.0.3"
    },
    {
      "name": "safetensors",
      "sha256": "fd6f3f93c9a0a7cc2788ee63fb763353d4bd2e89b0751bc78fcf7dda00bea774",
      "size_bytes": 1405301,
      "version": "0.8.0"
    },
    {
      "name": "setuptools",
      "sha256": "ca140b45d5325a9478f880e351484f62fef15f336462e449ca0c03c873d589c2",
      "size_bytes": 6207429,
      "version": "84.2.1"
    },
    {
      "name": "sympy",
      "sha256": "e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5",
      "size_bytes": 75602465,
      "version": "1.14.0"
    },
    {
      "name": "timm",
      "sha256": "5bd50f7d0fe6d09bf9285ac2523234a1b7e6bf075c0be3e7aed09139fcb617c7",
      "size_bytes": 16942177,
      "version": "1.0.31"
    },
    {
      "name": "torch",
      "sha256": "48c2d861134c0b5697c7602cb5ffa68f62a2989fdcd1717e593356f67996ca1e",
      "size_bytes": 1209758842,
      "version": "2.15.0"
    },
    {
      "name": "torchvision",
      "sha256": "0875f7a23bd298813240f716c56df44ce72ddb45146589442a38edd0e1f59637",
      "size_bytes": 23158222,
      "version": "0.29.2"
    },
    {
      "name": "tqdm",
      "sha256": "c293e525e6fef9c20e8728fd4612df02a0aa31bb5fe91ecd93e123b1b7bffa73",
      "size_bytes": 476674,
      "version": "4.70.1"
    },
    {
      "name": "truststore",
      "sha256": "9aaaedaefaf06d8b206278cf8b5012bc897f485a874503501e12d776df78951c",
      "size_bytes": 127777,
      "version": "0.10.5"
    },
    {
      "name": "typing-extensions",
      "sha256": "481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8",
      "size_bytes": 365756,
      "version": "4.16.0"
    }
  ],
  "python": "/usr/bin/python3.11",
  "python_version": "3.11.7",
  "sha256": "5ec53288d21886f86cdfc9aa059fa549aed908dfc6f01d8f225a5b1af87a6514",
  "site": "site",
  "size_bytes": 4412279115,
  "version": "2.15.0"
}
');
CREATE TABLE model (  -- A model at one batch size.
  model_key INTEGER PRIMARY KEY,  -- within this file
  model_hash TEXT NOT NULL,  -- SHA-256 of its content; the same for all batch sizes
  batch INTEGER NOT NULL,  -- samples per inference
  label TEXT NOT NULL,  -- name in the study
  family TEXT NOT NULL,  -- of a recipe; empty for a file
  recipe_json TEXT NOT NULL,  -- the recipe; of a file, the parameters that the study gives; else empty
  path TEXT NOT NULL,  -- of a file; empty for a recipe
  parameters INTEGER,  -- trainable; NULL for a file
  macs INTEGER,  -- multiply-accumulates of one inference at this batch size; NULL for a file
  macs_torchinfo INTEGER,  -- the same by torchinfo's convention; NULL for a file
  model_group TEXT,  -- models of one kind in several sizes: ResNets; NULL: none
  model_style TEXT,  -- convolutional, transformer or hybrid; NULL: none
  model_size INTEGER,  -- rank of its size in the group, 1 for the smallest; NULL: none
  raw_bytes INTEGER,  -- of a model that compresses data: size of one sample before; NULL: not given
  encoded_bytes INTEGER,  -- the size after; NULL: not given
  UNIQUE (model_hash, batch)
) STRICT;
INSERT INTO "model" VALUES(1,'712559714a816e4cb2fa48324d98983673bb614bb4d44823fdf6f25f2da2b33d',1,'mlp width=16 depth=1','mlp','{"family":"mlp","parameters":{"classes":1000,"depth":1,"features":784,"width":16},"revision":3,"seed":7}','',29560,28544,29560,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "model" VALUES(2,'712559714a816e4cb2fa48324d98983673bb614bb4d44823fdf6f25f2da2b33d',2,'mlp width=16 depth=1','mlp','{"family":"mlp","parameters":{"classes":1000,"depth":1,"features":784,"width":16},"revision":3,"seed":7}','',29560,57088,59120,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE model_file (  -- A model file as it was made on a device.
  run_key INTEGER NOT NULL,  -- the run
  device TEXT NOT NULL,  -- the device
  sequence INTEGER NOT NULL,  -- of its event
  model_key INTEGER NOT NULL REFERENCES model,  -- the model at its batch size
  file_sha256 TEXT NOT NULL,  -- of the file
  file_bytes INTEGER NOT NULL,  -- its size
  wall_ns INTEGER NOT NULL,  -- time to make it
  exporter TEXT,  -- which of PyTorch's exporters wrote it: `tracing`, `dynamo`; NULL: not a module's file
  no_file_reason TEXT,  -- why a module has no ONNX file, its hash and size then being '' and 0; NULL: it has one
  is_kept INTEGER,  -- 1: an earlier run on the device exported the module, and wall_ns is from then; NULL: not recorded
  PRIMARY KEY (run_key, device, sequence),
  FOREIGN KEY (run_key, device) REFERENCES run_device
) STRICT, WITHOUT ROWID;
INSERT INTO "model_file" VALUES(1,'local',2,1,'e1f0edadea8d73109337eabf0fac87ddb96d9b6eeff62216d46fc8f5a09bebf9',118715,3235318,NULL,NULL,NULL);
INSERT INTO "model_file" VALUES(1,'local',11,2,'38a5e342f4ec3d514a68607ea6670aec5d9a9d6b696cd54e9b1eba8ad296a668',118715,2711977,NULL,NULL,NULL);
CREATE TABLE model_input (  -- One input tensor of a model.
  model_key INTEGER NOT NULL REFERENCES model,  -- the model
  position INTEGER NOT NULL,  -- 0, 1, … in the order of the model
  name TEXT NOT NULL,  -- of the tensor
  element_type TEXT NOT NULL,  -- f32, i64, …
  shape_json TEXT NOT NULL,  -- JSON array, batch first
  PRIMARY KEY (model_key, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "model_input" VALUES(1,0,'input','f32','[1,784]');
INSERT INTO "model_input" VALUES(2,0,'input','f32','[2,784]');
CREATE TABLE neighbour (  -- A program that used processors while a disturbed process ran: the three busiest ones.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  position INTEGER NOT NULL,  -- 0, 1, …, the busiest first
  name TEXT NOT NULL,  -- the kernel's name: at most 15 bytes
  pid INTEGER NOT NULL,  -- its number on the device
  cpu_ns INTEGER NOT NULL,  -- processor time that it used while the process ran
  PRIMARY KEY (process_key, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE output_check (  -- The differences between a process's outputs and the reference outputs.
  process_key INTEGER PRIMARY KEY REFERENCES process,  -- the process
  reference TEXT NOT NULL,  -- compiler that made the reference outputs; none: they were not compared
  compared_elements INTEGER NOT NULL,  -- numbers compared
  max_absolute_error REAL,  -- NULL: unknown
  max_absolute_error_unknown_reason TEXT,  -- why it is unknown
  max_relative_error REAL,  -- over elements whose reference is not 0; NULL: unknown
  max_relative_error_unknown_reason TEXT,  -- why it is unknown
  finite_elements INTEGER  -- of those compared, numbers in both; NULL: not counted
) STRICT;
INSERT INTO "output_check" VALUES(1,'identity 2.15.0',1000,0.0,NULL,0.0,NULL,NULL);
INSERT INTO "output_check" VALUES(2,'identity 2.15.0',0,NULL,'no element to compare',NULL,'no element to compare',NULL);
INSERT INTO "output_check" VALUES(3,'identity 2.15.0',1000,5.8114528656005859375e-07,NULL,2.60154957272519570324e-04,NULL,NULL);
INSERT INTO "output_check" VALUES(4,'identity 2.15.0',0,NULL,'no element to compare',NULL,'no element to compare',NULL);
INSERT INTO "output_check" VALUES(5,'identity 2.15.0',1000,0.0,NULL,0.0,NULL,NULL);
INSERT INTO "output_check" VALUES(6,'identity 2.15.0',1000,5.8114528656005859375e-07,NULL,2.60154957272519570324e-04,NULL,NULL);
INSERT INTO "output_check" VALUES(7,'identity 2.15.0',1000,0.0,NULL,0.0,NULL,NULL);
INSERT INTO "output_check" VALUES(8,'identity 2.15.0',1000,5.8114528656005859375e-07,NULL,2.60154957272519570324e-04,NULL,NULL);
INSERT INTO "output_check" VALUES(9,'identity 2.15.0',2000,7.152557373046875e-07,NULL,4.43330062865656445835e-04,NULL,NULL);
INSERT INTO "output_check" VALUES(10,'identity 2.15.0',0,NULL,'no element to compare',NULL,'no element to compare',NULL);
INSERT INTO "output_check" VALUES(11,'identity 2.15.0',2000,0.0,NULL,0.0,NULL,NULL);
INSERT INTO "output_check" VALUES(12,'identity 2.15.0',0,NULL,'no element to compare',NULL,'no element to compare',NULL);
INSERT INTO "output_check" VALUES(13,'identity 2.15.0',2000,7.152557373046875e-07,NULL,4.43330062865656445835e-04,NULL,NULL);
INSERT INTO "output_check" VALUES(14,'identity 2.15.0',2000,0.0,NULL,0.0,NULL,NULL);
INSERT INTO "output_check" VALUES(15,'identity 2.15.0',2000,0.0,NULL,0.0,NULL,NULL);
INSERT INTO "output_check" VALUES(16,'identity 2.15.0',2000,7.152557373046875e-07,NULL,4.43330062865656445835e-04,NULL,NULL);
CREATE TABLE phase (  -- A part of a process's life that it reached.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  position INTEGER NOT NULL,  -- 0, 1, … in the order of time
  phase TEXT NOT NULL,  -- start, open, compile, load, check, warm_up, timed, alone
  wall_ns INTEGER NOT NULL,  -- duration
  cpu_ns INTEGER,  -- user and system time of the worker's process tree; NULL: unknown
  cpu_ns_unknown_reason TEXT,  -- why it is unknown
  peak_rss_bytes INTEGER,  -- highest resident memory within the phase; NULL: unknown
  peak_rss_bytes_unknown_reason TEXT,  -- why it is unknown
  started_ns INTEGER,  -- start, after that of the process; NULL: recorded by a program that did not say it
  PRIMARY KEY (process_key, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "phase" VALUES(1,0,'start',140,384000,NULL,430497792,NULL,NULL);
INSERT INTO "phase" VALUES(1,1,'open',8021740,8048000,NULL,434077696,NULL,NULL);
INSERT INTO "phase" VALUES(1,2,'compile',15258900,15271000,NULL,445767680,NULL,NULL);
INSERT INTO "phase" VALUES(1,3,'check',3269930,3229000,NULL,450433024,NULL,NULL);
INSERT INTO "phase" VALUES(1,4,'warm_up',5726896,5741000,NULL,451366912,NULL,NULL);
INSERT INTO "phase" VALUES(1,5,'timed',4953562,4965000,NULL,451432448,NULL,NULL);
INSERT INTO "phase" VALUES(2,0,'start',296192,497000,NULL,3747840,NULL,NULL);
INSERT INTO "phase" VALUES(2,1,'open',478775,316000,NULL,4067328,NULL,NULL);
INSERT INTO "phase" VALUES(2,2,'compile',114611,124000,NULL,4317184,NULL,NULL);
INSERT INTO "phase" VALUES(2,3,'check',150204,161000,NULL,4562944,NULL,NULL);
INSERT INTO "phase" VALUES(3,0,'start',227279,343000,NULL,3981312,NULL,NULL);
INSERT INTO "phase" VALUES(3,1,'open',12699221,12712000,NULL,21356544,NULL,NULL);
INSERT INTO "phase" VALUES(3,2,'compile',2894189,2906000,NULL,30490624,NULL,NULL);
INSERT INTO "phase" VALUES(3,3,'check',389651,333000,NULL,31006720,NULL,NULL);
INSERT INTO "phase" VALUES(3,4,'warm_up',6722341,6734000,NULL,31006720,NULL,NULL);
INSERT INTO "phase" VALUES(3,5,'timed',4907182,4919000,NULL,31072256,NULL,NULL);
INSERT INTO "phase" VALUES(4,0,'start',134902,220000,NULL,3694592,NULL,NULL);
INSERT INTO "phase" VALUES(4,1,'open',179748,192000,NULL,4018176,NULL,NULL);
INSERT INTO "phase" VALUES(4,2,'compile',109233,119000,NULL,4263936,NULL,NULL);
INSERT INTO "phase" VALUES(4,3,'check',137535,148000,NULL,4509696,NULL,NULL);
INSERT INTO "phase" VALUES(5,0,'start',280,121000,NULL,430510080,NULL,NULL);
INSERT INTO "phase" VALUES(5,1,'open',2864715,2857000,NULL,434089984,NULL,NULL);
INSERT INTO "phase" VALUES(5,2,'compile',5565656,5579000,NULL,445808640,NULL,NULL);
INSERT INTO "phase" VALUES(5,3,'check',1334571,1347000,NULL,450441216,NULL,NULL);
INSERT INTO "phase" VALUES(5,4,'warm_up',6340442,6354000,NULL,451375104,NULL,NULL);
INSERT INTO "phase" VALUES(5,5,'timed',5046170,5057000,NULL,451440640,NULL,NULL);
INSERT INTO "phase" VALUES(6,0,'start',142022,231000,NULL,3977216,NULL,NULL);
INSERT INTO "phase" VALUES(6,1,'open',13252756,13137000,NULL,21348352,NULL,NULL);
INSERT INTO "phase" VALUES(6,2,'compile',2827670,2840000,NULL,30482432,NULL,NULL);
INSERT INTO "phase" VALUES(6,3,'check',252808,266000,NULL,30990336,NULL,NULL);
INSERT INTO "phase" VALUES(6,4,'warm_up',3291121,3302000,NULL,30990336,NULL,NULL);
INSERT INTO "phase" VALUES(6,5,'timed',4360857,4372000,NULL,31055872,NULL,NULL);
INSERT INTO "phase" VALUES(7,0,'start',110,105000,NULL,430510080,NULL,NULL);
INSERT INTO "phase" VALUES(7,1,'open',2534683,2539000,NULL,434089984,NULL,NULL);
INSERT INTO "phase" VALUES(7,2,'compile',5094833,5107000,NULL,445808640,NULL,NULL);
INSERT INTO "phase" VALUES(7,3,'check',1066752,1083000,NULL,450441216,NULL,NULL);
INSERT INTO "phase" VALUES(7,4,'warm_up',6383857,6395000,NULL,451375104,NULL,NULL);
INSERT INTO "phase" VALUES(7,5,'timed',4894654,4905000,NULL,451440640,NULL,NULL);
INSERT INTO "phase" VALUES(8,0,'start',130375,215000,NULL,3821568,NULL,NULL);
INSERT INTO "phase" VALUES(8,1,'open',13405514,12818000,NULL,21381120,NULL,NULL);
INSERT INTO "phase" VALUES(8,2,'compile',2816974,2829000,NULL,30515200,NULL,NULL);
INSERT INTO "phase" VALUES(8,3,'check',240319,252000,NULL,31027200,NULL,NULL);
INSERT INTO "phase" VALUES(8,4,'warm_up',3508175,3512000,NULL,31027200,NULL,NULL);
INSERT INTO "phase" VALUES(8,5,'timed',4618572,4629000,NULL,31092736,NULL,NULL);
INSERT INTO "phase" VALUES(9,0,'start',117165,188000,NULL,3915776,NULL,NULL);
INSERT INTO "phase" VALUES(9,1,'open',12553593,12322000,NULL,21352448,NULL,NULL);
INSERT INTO "phase" VALUES(9,2,'compile',3071724,2858000,NULL,30486528,NULL,NULL);
INSERT INTO "phase" VALUES(9,3,'check',225737,237000,NULL,30998528,NULL,NULL);
INSERT INTO "phase" VALUES(9,4,'warm_up',3447164,3426000,NULL,30998528,NULL,NULL);
INSERT INTO "phase" VALUES(9,5,'timed',4507035,4517000,NULL,31064064,NULL,NULL);
INSERT INTO "phase" VALUES(10,0,'start',110575,182000,NULL,3948544,NULL,NULL);
INSERT INTO "phase" VALUES(10,1,'open',183734,196000,NULL,4165632,NULL,NULL);
INSERT INTO "phase" VALUES(10,2,'compile',113339,124000,NULL,4501504,NULL,NULL);
INSERT INTO "phase" VALUES(10,3,'check',132998,143000,NULL,4751360,NULL,NULL);
INSERT INTO "phase" VALUES(11,0,'start',110,103000,NULL,430510080,NULL,NULL);
INSERT INTO "phase" VALUES(11,1,'open',2450367,2466000,NULL,434089984,NULL,NULL);
INSERT INTO "phase" VALUES(11,2,'compile',4994994,4998000,NULL,445808640,NULL,NULL);
INSERT INTO "phase" VALUES(11,3,'check',1086211,1097000,NULL,450490368,NULL,NULL);
INSERT INTO "phase" VALUES(11,4,'warm_up',6504226,6510000,NULL,451424256,NULL,NULL);
INSERT INTO "phase" VALUES(11,5,'timed',4955275,4966000,NULL,451489792,NULL,NULL);
INSERT INTO "phase" VALUES(12,0,'start',118828,203000,NULL,3788800,NULL,NULL);
INSERT INTO "phase" VALUES(12,1,'open',179188,189000,NULL,4087808,NULL,NULL);
INSERT INTO "phase" VALUES(12,2,'compile',108051,118000,NULL,4345856,NULL,NULL);
INSERT INTO "phase" VALUES(12,3,'check',134190,144000,NULL,4591616,NULL,NULL);
INSERT INTO "phase" VALUES(13,0,'start',168462,328000,NULL,3915776,NULL,NULL);
INSERT INTO "phase" VALUES(13,1,'open',12760762,12358000,NULL,21344256,NULL,NULL);
INSERT INTO "phase" VALUES(13,2,'compile',2677656,2689000,NULL,30478336,NULL,NULL);
INSERT INTO "phase" VALUES(13,3,'check',323112,300000,NULL,30990336,NULL,NULL);
INSERT INTO "phase" VALUES(13,4,'warm_up',3182439,3193000,NULL,30990336,NULL,NULL);
INSERT INTO "phase" VALUES(13,5,'timed',4266146,4271000,NULL,31055872,NULL,NULL);
INSERT INTO "phase" VALUES(14,0,'start',160,106000,NULL,430510080,NULL,NULL);
INSERT INTO "phase" VALUES(14,1,'open',2455614,2455000,NULL,434089984,NULL,NULL);
INSERT INTO "phase" VALUES(14,2,'compile',4994523,4999000,NULL,445808640,NULL,NULL);
INSERT INTO "phase" VALUES(14,3,'check',1085389,1098000,NULL,450490368,NULL,NULL);
INSERT INTO "phase" VALUES(14,4,'warm_up',6508212,6520000,NULL,451424256,NULL,NULL);
INSERT INTO "phase" VALUES(14,5,'timed',4866091,4877000,NULL,451489792,NULL,NULL);
INSERT INTO "phase" VALUES(15,0,'start',120,101000,NULL,430510080,NULL,NULL);
INSERT INTO "phase" VALUES(15,1,'open',2438449,2436000,NULL,434089984,NULL,NULL);
INSERT INTO "phase" VALUES(15,2,'compile',4753804,4758000,NULL,445808640,NULL,NULL);
INSERT INTO "phase" VALUES(15,3,'check',1073291,1084000,NULL,450490368,NULL,NULL);
INSERT INTO "phase" VALUES(15,4,'warm_up',6436875,6448000,NULL,451424256,NULL,NULL);
INSERT INTO "phase" VALUES(15,5,'timed',4898069,4909000,NULL,451489792,NULL,NULL);
INSERT INTO "phase" VALUES(16,0,'start',123294,205000,NULL,3813376,NULL,NULL);
INSERT INTO "phase" VALUES(16,1,'open',12957666,12423000,NULL,21262336,NULL,NULL);
INSERT INTO "phase" VALUES(16,2,'compile',2786288,2768000,NULL,30396416,NULL,NULL);
INSERT INTO "phase" VALUES(16,3,'check',230194,242000,NULL,30908416,NULL,NULL);
INSERT INTO "phase" VALUES(16,4,'warm_up',3199244,3210000,NULL,30908416,NULL,NULL);
INSERT INTO "phase" VALUES(16,5,'timed',4186237,4197000,NULL,30973952,NULL,NULL);
CREATE TABLE presence (  -- Devices that may still have something of a run: the teardown is not verified, or not all is recorded.
  run_key INTEGER NOT NULL,  -- the run
  device TEXT NOT NULL,  -- the device
  PRIMARY KEY (run_key, device),
  FOREIGN KEY (run_key, device) REFERENCES run_device
) STRICT, WITHOUT ROWID;
CREATE TABLE process (  -- One worker process: completed, or failed (then it has a row in failure).
  process_key INTEGER PRIMARY KEY,  -- within this file
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  run_key INTEGER NOT NULL,  -- the run
  device TEXT NOT NULL,  -- the device
  sequence INTEGER NOT NULL,  -- of its event
  process_index INTEGER NOT NULL,  -- 0 … planned_processes - 1
  attempt INTEGER NOT NULL,  -- 1, 2, …; a repeated process keeps its index
  is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),  -- 0: failed
  environment_key INTEGER REFERENCES environment,  -- NULL: the device had not described itself
  environment_hash TEXT NOT NULL,  -- as in environment
  started_unix_ns INTEGER NOT NULL,  -- nanoseconds since 1970-01-01 UTC
  wall_ns INTEGER NOT NULL,  -- from before its start until it had ended
  stop_reason TEXT NOT NULL,  -- why repetitions ended: repetitions, half_width, max_repetitions, max_time; empty: failed
  is_steady INTEGER NOT NULL CHECK (is_steady IN (0, 1)),  -- 0: no steady part was found within the bound
  threads_used INTEGER,  -- threads that used processor time in the timed phase; NULL: unknown
  threads_used_unknown_reason TEXT,  -- why it is unknown
  log_path TEXT NOT NULL,  -- file of what the compiler printed, relative to the results folder; may be empty
  made_with_key INTEGER REFERENCES made_with,  -- NULL: recorded before this was known
  origin TEXT NOT NULL DEFAULT '',  -- over build, model file and environment
  threads INTEGER,  -- threads that its inference was allowed; NULL: no worker was started
  source_key INTEGER NOT NULL DEFAULT 0,  -- where it was recorded; 0: in this file
  UNIQUE (run_key, device, sequence),
  FOREIGN KEY (run_key, device) REFERENCES run_device
) STRICT;
INSERT INTO "process" VALUES(1,1,1,'local',3,0,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434582883521850,75262361,'repetitions',1,1,NULL,'devices/local/logs/fe9ef89cf4e00898-0-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(2,4,1,'local',4,0,1,0,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434582959530315,3918277,'',1,NULL,'nothing was timed','devices/local/logs/b5cd408f7f813537-0-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(3,2,1,'local',5,0,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434582963893826,32601170,'repetitions',1,1,NULL,'devices/local/logs/77e684e9c38c84b9-0-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(4,3,1,'local',6,0,1,0,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434582997175261,3040377,'',1,NULL,'nothing was timed','devices/local/logs/18e954ae5c6afeee-0-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(5,1,1,'local',7,1,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583000720892,50124289,'repetitions',1,1,NULL,'devices/local/logs/fe9ef89cf4e00898-1-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(6,2,1,'local',8,1,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583051709290,28376726,'repetitions',1,1,NULL,'devices/local/logs/77e684e9c38c84b9-1-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(7,1,1,'local',9,2,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583080809555,46443486,'repetitions',1,1,NULL,'devices/local/logs/fe9ef89cf4e00898-2-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(8,2,1,'local',10,2,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583128117611,28920427,'repetitions',1,1,NULL,'devices/local/logs/77e684e9c38c84b9-2-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(9,6,1,'local',12,0,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583160879200,27674698,'repetitions',1,1,NULL,'devices/local/logs/a0e5766aeddc6421-0-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(10,8,1,'local',13,0,1,0,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583189073944,2501392,'',1,NULL,'nothing was timed','devices/local/logs/e009301f2fd196b6-0-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(11,5,1,'local',14,0,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583192114521,46029188,'repetitions',1,1,NULL,'devices/local/logs/895f5b58204ea2c8-0-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(12,7,1,'local',15,0,1,0,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583238910433,2617246,'',1,NULL,'nothing was timed','devices/local/logs/1d74636fcc43f600-0-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(13,6,1,'local',16,1,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583242033944,27964480,'repetitions',1,1,NULL,'devices/local/logs/a0e5766aeddc6421-1-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(14,5,1,'local',17,1,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583270697998,44486756,'repetitions',1,1,NULL,'devices/local/logs/895f5b58204ea2c8-1-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(15,5,1,'local',18,2,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583315902615,42997534,'repetitions',1,1,NULL,'devices/local/logs/895f5b58204ea2c8-2-1.log',NULL,'ba24083a2118c822',1,0);
INSERT INTO "process" VALUES(16,6,1,'local',19,2,1,1,1,'ba24083a2118c822d0e21c8c74b1c92f604f16f3ab81dd1c813c099c4eafe246',1795434583359637259,27420849,'repetitions',1,1,NULL,'devices/local/logs/a0e5766aeddc6421-2-1.log',NULL,'ba24083a2118c822',1,0);
CREATE TABLE protocol (  -- The protocol of every process and run of this file: one row for each key.
  key TEXT PRIMARY KEY NOT NULL,  -- as in the study file
  value TEXT NOT NULL  -- JSON text
) STRICT, WITHOUT ROWID;
INSERT INTO "protocol" VALUES('max_transient_s','30.0');
INSERT INTO "protocol" VALUES('min_repetition_ms','1.0');
INSERT INTO "protocol" VALUES('processes','3');
INSERT INTO "protocol" VALUES('reference','"identity"');
INSERT INTO "protocol" VALUES('reference_version','"2.15.0"');
INSERT INTO "protocol" VALUES('repetitions','4');
INSERT INTO "protocol" VALUES('seed','7');
INSERT INTO "protocol" VALUES('stop_when','null');
INSERT INTO "protocol" VALUES('tolerances.absolute','0.0001');
INSERT INTO "protocol" VALUES('tolerances.relative','0.001');
INSERT INTO "protocol" VALUES('warm_up','"auto"');
CREATE TABLE reading (  -- One value that the device reported around the timed phase.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  position INTEGER NOT NULL,  -- 0, 1, … in the order reported
  quantity TEXT NOT NULL,  -- steal, pressure_cpu_some, page_faults, frequency, temperature, power, gpu_utilisation, load_1min, …
  unit TEXT NOT NULL,  -- percent, hz, celsius, watt, bytes, 1, …
  moment TEXT NOT NULL,  -- start, end: of the timed phase; timed, alone: over that phase; during
  value REAL,  -- NULL: unknown
  unknown_reason TEXT,  -- why it is unknown
  at_ns INTEGER,  -- when, after the start of the process; only of moment `during`
  PRIMARY KEY (process_key, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "reading" VALUES(1,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(1,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(1,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(1,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(1,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(1,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(1,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(1,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(1,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(1,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(1,10,'steal','percent','timed',NULL,'shorter than a tick of the kernel''s clock',NULL);
INSERT INTO "reading" VALUES(1,11,'machine_cpu','percent','timed',NULL,'shorter than a tick of the kernel''s clock',NULL);
INSERT INTO "reading" VALUES(1,12,'pressure_cpu_some','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(1,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(1,14,'page_faults','1/s','timed',2.02018691981494271205e+02,NULL,NULL);
INSERT INTO "reading" VALUES(3,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(3,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(3,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(3,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(3,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(3,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(3,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(3,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(3,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(3,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(3,10,'steal','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(3,11,'machine_cpu','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(3,12,'pressure_cpu_some','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(3,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(3,14,'page_faults','1/s','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(5,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(5,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(5,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(5,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(5,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(5,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(5,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(5,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(5,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(5,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(5,10,'steal','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(5,11,'machine_cpu','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(5,12,'pressure_cpu_some','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(5,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(5,14,'page_faults','1/s','timed',1.98367750799322834602e+02,NULL,NULL);
INSERT INTO "reading" VALUES(6,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(6,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(6,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(6,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(6,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(6,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(6,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(6,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(6,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(6,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(6,10,'steal','percent','timed',NULL,'shorter than a tick of the kernel''s clock',NULL);
INSERT INTO "reading" VALUES(6,11,'machine_cpu','percent','timed',NULL,'shorter than a tick of the kernel''s clock',NULL);
INSERT INTO "reading" VALUES(6,12,'pressure_cpu_some','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(6,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(6,14,'page_faults','1/s','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(7,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(7,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(7,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(7,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(7,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(7,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(7,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(7,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(7,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(7,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(7,10,'steal','percent','timed',NULL,'shorter than a tick of the kernel''s clock',NULL);
INSERT INTO "reading" VALUES(7,11,'machine_cpu','percent','timed',NULL,'shorter than a tick of the kernel''s clock',NULL);
INSERT INTO "reading" VALUES(7,12,'pressure_cpu_some','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(7,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(7,14,'page_faults','1/s','timed',2.04419132813154760699e+02,NULL,NULL);
INSERT INTO "reading" VALUES(8,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(8,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(8,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(8,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(8,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(8,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(8,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(8,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(8,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(8,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(8,10,'steal','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(8,11,'machine_cpu','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(8,12,'pressure_cpu_some','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(8,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(8,14,'page_faults','1/s','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(9,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(9,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(9,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(9,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(9,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(9,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(9,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(9,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(9,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(9,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(9,10,'steal','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(9,11,'machine_cpu','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(9,12,'pressure_cpu_some','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(9,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(9,14,'page_faults','1/s','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(11,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(11,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(11,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(11,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(11,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(11,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(11,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(11,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(11,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(11,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(11,10,'steal','percent','timed',NULL,'shorter than a tick of the kernel''s clock',NULL);
INSERT INTO "reading" VALUES(11,11,'machine_cpu','percent','timed',NULL,'shorter than a tick of the kernel''s clock',NULL);
INSERT INTO "reading" VALUES(11,12,'pressure_cpu_some','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(11,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(11,14,'page_faults','1/s','timed',4.03860910302491788554e+02,NULL,NULL);
INSERT INTO "reading" VALUES(13,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(13,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(13,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(13,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(13,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(13,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(13,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(13,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(13,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(13,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(13,10,'steal','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(13,11,'machine_cpu','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(13,12,'pressure_cpu_some','percent','timed',1.10767338522266223233e-01,NULL,NULL);
INSERT INTO "reading" VALUES(13,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(13,14,'page_faults','1/s','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(14,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(14,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(14,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(14,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(14,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(14,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(14,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(14,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(14,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(14,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(14,10,'steal','percent','timed',NULL,'shorter than a tick of the kernel''s clock',NULL);
INSERT INTO "reading" VALUES(14,11,'machine_cpu','percent','timed',NULL,'shorter than a tick of the kernel''s clock',NULL);
INSERT INTO "reading" VALUES(14,12,'pressure_cpu_some','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(14,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(14,14,'page_faults','1/s','timed',6.16875492729299821801e+02,NULL,NULL);
INSERT INTO "reading" VALUES(15,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(15,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(15,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(15,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(15,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(15,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(15,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(15,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(15,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(15,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(15,10,'steal','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(15,11,'machine_cpu','percent','timed',100.0,NULL,NULL);
INSERT INTO "reading" VALUES(15,12,'pressure_cpu_some','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(15,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(15,14,'page_faults','1/s','timed',6.12800795823966836916e+02,NULL,NULL);
INSERT INTO "reading" VALUES(16,0,'load_1min','1','start',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(16,1,'frequency','hz','start',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(16,2,'temperature','celsius','start',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(16,3,'power','watt','start',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(16,4,'gpu_utilisation','percent','start',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(16,5,'load_1min','1','end',0.24,NULL,NULL);
INSERT INTO "reading" VALUES(16,6,'frequency','hz','end',NULL,'no cpufreq in /sys, and the processor does not count its cycles (aperfmperf)',NULL);
INSERT INTO "reading" VALUES(16,7,'temperature','celsius','end',NULL,'no temperature sensor of the processor in /sys',NULL);
INSERT INTO "reading" VALUES(16,8,'power','watt','end',NULL,'no power meter in /sys',NULL);
INSERT INTO "reading" VALUES(16,9,'gpu_utilisation','percent','end',NULL,'no NVIDIA driver: no libnvidia-ml.so.1',NULL);
INSERT INTO "reading" VALUES(16,10,'steal','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(16,11,'machine_cpu','percent','timed',0.0,NULL,NULL);
INSERT INTO "reading" VALUES(16,12,'pressure_cpu_some','percent','timed',2.85929154017327320502e+01,NULL,NULL);
INSERT INTO "reading" VALUES(16,13,'package_power','watt','timed',NULL,'no energy counter of the processor in /sys/class/powercap',NULL);
INSERT INTO "reading" VALUES(16,14,'page_faults','1/s','timed',0.0,NULL,NULL);
CREATE TABLE repetition (  -- One timed repetition.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  repetition_index INTEGER NOT NULL,  -- 0, 1, … in the order run, warm-up first
  wall_ns INTEGER NOT NULL,  -- around all its inferences
  inferences INTEGER NOT NULL,  -- inferences in this repetition, one after the other
  is_warm_up INTEGER NOT NULL CHECK (is_warm_up IN (0, 1)),  -- 1: before the steady part, or while not all instances ran; counts in no metric
  started_ns INTEGER,  -- start, after that of the process; NULL: recorded by a program that did not say it
  instance INTEGER NOT NULL DEFAULT 0,  -- 0 … instances - 1: which of them ran it
  PRIMARY KEY (process_key, repetition_index)
) STRICT, WITHOUT ROWID;
INSERT INTO "repetition" VALUES(1,0,1385508,1,1,NULL,0);
INSERT INTO "repetition" VALUES(1,1,175451,1,1,NULL,0);
INSERT INTO "repetition" VALUES(1,2,49554,1,1,NULL,0);
INSERT INTO "repetition" VALUES(1,3,946122,25,1,NULL,0);
INSERT INTO "repetition" VALUES(1,4,410603,25,1,NULL,0);
INSERT INTO "repetition" VALUES(1,5,408389,25,1,NULL,0);
INSERT INTO "repetition" VALUES(1,6,1251588,74,1,NULL,0);
INSERT INTO "repetition" VALUES(1,7,1280210,74,1,NULL,0);
INSERT INTO "repetition" VALUES(1,8,1199590,74,1,NULL,0);
INSERT INTO "repetition" VALUES(1,9,1243315,74,0,NULL,0);
INSERT INTO "repetition" VALUES(1,10,1225298,74,0,NULL,0);
INSERT INTO "repetition" VALUES(1,11,1233300,74,0,NULL,0);
INSERT INTO "repetition" VALUES(1,12,1233832,74,0,NULL,0);
INSERT INTO "repetition" VALUES(3,0,62653,1,1,NULL,0);
INSERT INTO "repetition" VALUES(3,1,24476,1,1,NULL,0);
INSERT INTO "repetition" VALUES(3,2,3065,1,1,NULL,0);
INSERT INTO "repetition" VALUES(3,3,1029827,392,1,NULL,0);
INSERT INTO "repetition" VALUES(3,4,1016777,392,1,NULL,0);
INSERT INTO "repetition" VALUES(3,5,972752,392,1,NULL,0);
INSERT INTO "repetition" VALUES(3,6,1232569,484,1,NULL,0);
INSERT INTO "repetition" VALUES(3,7,1200622,484,1,NULL,0);
INSERT INTO "repetition" VALUES(3,8,1239469,484,1,NULL,0);
INSERT INTO "repetition" VALUES(3,9,1206401,484,0,NULL,0);
INSERT INTO "repetition" VALUES(3,10,1207952,484,0,NULL,0);
INSERT INTO "repetition" VALUES(3,11,1272149,484,0,NULL,0);
INSERT INTO "repetition" VALUES(3,12,1210115,484,0,NULL,0);
INSERT INTO "repetition" VALUES(5,0,616911,1,1,NULL,0);
INSERT INTO "repetition" VALUES(5,1,114481,1,1,NULL,0);
INSERT INTO "repetition" VALUES(5,2,25588,1,1,NULL,0);
INSERT INTO "repetition" VALUES(5,3,985210,47,1,NULL,0);
INSERT INTO "repetition" VALUES(5,4,769669,47,1,NULL,0);
INSERT INTO "repetition" VALUES(5,5,762898,47,1,NULL,0);
INSERT INTO "repetition" VALUES(5,6,1269795,74,1,NULL,0);
INSERT INTO "repetition" VALUES(5,7,1195053,74,1,NULL,0);
INSERT INTO "repetition" VALUES(5,8,1212029,74,1,NULL,0);
INSERT INTO "repetition" VALUES(5,9,1310546,74,0,NULL,0);
INSERT INTO "repetition" VALUES(5,10,1199310,74,0,NULL,0);
INSERT INTO "repetition" VALUES(5,11,1241142,74,0,NULL,0);
INSERT INTO "repetition" VALUES(5,12,1273160,74,0,NULL,0);
INSERT INTO "repetition" VALUES(6,0,62353,1,1,NULL,0);
INSERT INTO "repetition" VALUES(6,1,11738,1,1,NULL,0);
INSERT INTO "repetition" VALUES(6,2,2814,1,1,NULL,0);
INSERT INTO "repetition" VALUES(6,3,1081163,427,1,NULL,0);
INSERT INTO "repetition" VALUES(6,4,1119831,427,1,NULL,0);
INSERT INTO "repetition" VALUES(6,5,1074414,427,1,NULL,0);
INSERT INTO "repetition" VALUES(6,6,1076677,427,0,NULL,0);
INSERT INTO "repetition" VALUES(6,7,1101814,427,0,NULL,0);
INSERT INTO "repetition" VALUES(6,8,1101143,427,0,NULL,0);
INSERT INTO "repetition" VALUES(6,9,1070908,427,0,NULL,0);
INSERT INTO "repetition" VALUES(7,0,507637,1,1,NULL,0);
INSERT INTO "repetition" VALUES(7,1,62834,1,1,NULL,0);
INSERT INTO "repetition" VALUES(7,2,23715,1,1,NULL,0);
INSERT INTO "repetition" VALUES(7,3,1001043,51,1,NULL,0);
INSERT INTO "repetition" VALUES(7,4,821837,51,1,NULL,0);
INSERT INTO "repetition" VALUES(7,5,840694,51,1,NULL,0);
INSERT INTO "repetition" VALUES(7,6,1203356,75,1,NULL,0);
INSERT INTO "repetition" VALUES(7,7,1222745,75,1,NULL,0);
INSERT INTO "repetition" VALUES(7,8,1204908,75,1,NULL,0);
INSERT INTO "repetition" VALUES(7,9,1224297,75,0,NULL,0);
INSERT INTO "repetition" VALUES(7,10,1239951,75,0,NULL,0);
INSERT INTO "repetition" VALUES(7,11,1208834,75,0,NULL,0);
INSERT INTO "repetition" VALUES(7,12,1207932,75,0,NULL,0);
INSERT INTO "repetition" VALUES(8,0,61802,1,1,NULL,0);
INSERT INTO "repetition" VALUES(8,1,9795,1,1,NULL,0);
INSERT INTO "repetition" VALUES(8,2,2644,1,1,NULL,0);
INSERT INTO "repetition" VALUES(8,3,1156586,454,1,NULL,0);
INSERT INTO "repetition" VALUES(8,4,1192239,454,1,NULL,0);
INSERT INTO "repetition" VALUES(8,5,1145329,454,1,NULL,0);
INSERT INTO "repetition" VALUES(8,6,1145950,454,0,NULL,0);
INSERT INTO "repetition" VALUES(8,7,1175624,454,0,NULL,0);
INSERT INTO "repetition" VALUES(8,8,1146351,454,0,NULL,0);
INSERT INTO "repetition" VALUES(8,9,1142254,454,0,NULL,0);
INSERT INTO "repetition" VALUES(9,0,58978,1,1,NULL,0);
INSERT INTO "repetition" VALUES(9,1,8333,1,1,NULL,0);
INSERT INTO "repetition" VALUES(9,2,2914,1,1,NULL,0);
INSERT INTO "repetition" VALUES(9,3,1113271,412,1,NULL,0);
INSERT INTO "repetition" VALUES(9,4,1209976,412,1,NULL,0);
INSERT INTO "repetition" VALUES(9,5,1111268,412,1,NULL,0);
INSERT INTO "repetition" VALUES(9,6,1106862,412,0,NULL,0);
INSERT INTO "repetition" VALUES(9,7,1134423,412,0,NULL,0);
INSERT INTO "repetition" VALUES(9,8,1129115,412,0,NULL,0);
INSERT INTO "repetition" VALUES(9,9,1128825,412,0,NULL,0);
INSERT INTO "repetition" VALUES(11,0,525163,1,1,NULL,0);
INSERT INTO "repetition" VALUES(11,1,59739,1,1,NULL,0);
INSERT INTO "repetition" VALUES(11,2,26239,1,1,NULL,0);
INSERT INTO "repetition" VALUES(11,3,1064148,46,1,NULL,0);
INSERT INTO "repetition" VALUES(11,4,851521,46,1,NULL,0);
INSERT INTO "repetition" VALUES(11,5,821275,46,1,NULL,0);
INSERT INTO "repetition" VALUES(11,6,1217897,68,1,NULL,0);
INSERT INTO "repetition" VALUES(11,7,1214803,68,1,NULL,0);
INSERT INTO "repetition" VALUES(11,8,1245258,68,1,NULL,0);
INSERT INTO "repetition" VALUES(11,9,1236055,68,0,NULL,0);
INSERT INTO "repetition" VALUES(11,10,1215394,68,0,NULL,0);
INSERT INTO "repetition" VALUES(11,11,1238888,68,0,NULL,0);
INSERT INTO "repetition" VALUES(11,12,1252750,68,0,NULL,0);
INSERT INTO "repetition" VALUES(13,0,61381,1,1,NULL,0);
INSERT INTO "repetition" VALUES(13,1,8803,1,1,NULL,0);
INSERT INTO "repetition" VALUES(13,2,3045,1,1,NULL,0);
INSERT INTO "repetition" VALUES(13,3,1045450,395,1,NULL,0);
INSERT INTO "repetition" VALUES(13,4,1049186,395,1,NULL,0);
INSERT INTO "repetition" VALUES(13,5,1074713,395,1,NULL,0);
INSERT INTO "repetition" VALUES(13,6,1068695,395,0,NULL,0);
INSERT INTO "repetition" VALUES(13,7,1072911,395,0,NULL,0);
INSERT INTO "repetition" VALUES(13,8,1047784,395,0,NULL,0);
INSERT INTO "repetition" VALUES(13,9,1068074,395,0,NULL,0);
INSERT INTO "repetition" VALUES(14,0,529170,1,1,NULL,0);
INSERT INTO "repetition" VALUES(14,1,58888,1,1,NULL,0);
INSERT INTO "repetition" VALUES(14,2,26470,1,1,NULL,0);
INSERT INTO "repetition" VALUES(14,3,1086422,46,1,NULL,0);
INSERT INTO "repetition" VALUES(14,4,829277,46,1,NULL,0);
INSERT INTO "repetition" VALUES(14,5,829198,46,1,NULL,0);
INSERT INTO "repetition" VALUES(14,6,1238928,67,1,NULL,0);
INSERT INTO "repetition" VALUES(14,7,1229605,67,1,NULL,0);
INSERT INTO "repetition" VALUES(14,8,1206641,67,1,NULL,0);
INSERT INTO "repetition" VALUES(14,9,1226360,67,0,NULL,0);
INSERT INTO "repetition" VALUES(14,10,1226610,67,0,NULL,0);
INSERT INTO "repetition" VALUES(14,11,1200231,67,0,NULL,0);
INSERT INTO "repetition" VALUES(14,12,1200301,67,0,NULL,0);
INSERT INTO "repetition" VALUES(15,0,504463,1,1,NULL,0);
INSERT INTO "repetition" VALUES(15,1,93659,1,1,NULL,0);
INSERT INTO "repetition" VALUES(15,2,26220,1,1,NULL,0);
INSERT INTO "repetition" VALUES(15,3,1033221,46,1,NULL,0);
INSERT INTO "repetition" VALUES(15,4,824790,46,1,NULL,0);
INSERT INTO "repetition" VALUES(15,5,830069,46,1,NULL,0);
INSERT INTO "repetition" VALUES(15,6,1200561,67,1,NULL,0);
INSERT INTO "repetition" VALUES(15,7,1225068,67,1,NULL,0);
INSERT INTO "repetition" VALUES(15,8,1201083,67,1,NULL,0);
INSERT INTO "repetition" VALUES(15,9,1236265,67,0,NULL,0);
INSERT INTO "repetition" VALUES(15,10,1225989,67,0,NULL,0);
INSERT INTO "repetition" VALUES(15,11,1223376,67,0,NULL,0);
INSERT INTO "repetition" VALUES(15,12,1201122,67,0,NULL,0);
INSERT INTO "repetition" VALUES(16,0,58908,1,1,NULL,0);
INSERT INTO "repetition" VALUES(16,1,8663,1,1,NULL,0);
INSERT INTO "repetition" VALUES(16,2,3115,1,1,NULL,0);
INSERT INTO "repetition" VALUES(16,3,1044258,386,1,NULL,0);
INSERT INTO "repetition" VALUES(16,4,1053442,386,1,NULL,0);
INSERT INTO "repetition" VALUES(16,5,1088414,386,1,NULL,0);
INSERT INTO "repetition" VALUES(16,6,1047283,386,0,NULL,0);
INSERT INTO "repetition" VALUES(16,7,1040072,386,0,NULL,0);
INSERT INTO "repetition" VALUES(16,8,1061364,386,0,NULL,0);
INSERT INTO "repetition" VALUES(16,9,1029777,386,0,NULL,0);
CREATE TABLE revision (  -- One row.
  id INTEGER PRIMARY KEY CHECK (id = 1),  -- 1
  revision INTEGER NOT NULL  -- grows whenever something is recorded
) STRICT;
INSERT INTO "revision" VALUES(1,21);
CREATE TABLE rounds_ended (  -- Cells that need no more processes, because what the study asks of them is decided.
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  run_key INTEGER NOT NULL REFERENCES run,  -- the run that decided it
  PRIMARY KEY (cell_key, run_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE run (  -- One command `ngb run`, with all its continuations after interruptions.
  run_key INTEGER PRIMARY KEY,  -- within this file
  run_id TEXT NOT NULL UNIQUE,  -- 16 hexadecimal digits
  study_name TEXT NOT NULL,  -- name of the study
  study_json TEXT NOT NULL,  -- the study with every default
  study_sha256 TEXT NOT NULL,  -- of the cells, the protocol and the limits: two runs with the same one do the same
  started_unix_ns INTEGER NOT NULL,  -- first start, nanoseconds since 1970-01-01 UTC
  ngb_version TEXT,  -- of the ngb that began it; NULL: not recorded
  ngb_revision TEXT,  -- git commit that it was built from; NULL: unknown
  ngb_is_changed INTEGER,  -- 1: built from sources that differ from that commit; NULL: unknown
  source_key INTEGER REFERENCES source  -- where it was recorded; NULL: in this file
) STRICT;
INSERT INTO "run" VALUES(1,'325b6828ff0ed652','stored','{"attempts":1,"batch_sizes":[1,2],"best_options":false,"compilers":[{"identity":{"label":"identity","options":{},"threads":1,"version":"2.15.0"}},{"onnxruntime":{"label":"onnxruntime","options":{},"threads":1,"version":"1.31.1"}},{"null":{"label":"null fault=none","options":{},"threads":1}},{"null":{"label":"null fault=crash","options":{"fault":"crash"},"threads":1}}],"devices":["local"],"max_transient_s":30.0,"memory_limit":null,"min_repetition_ms":1.0,"models":[{"label":"mlp width=16 depth=1","zoo":{"mlp":{"depth":1,"width":16}}}],"name":"stored","output":"/results/stored","pairs":{"local":["identity","onnxruntime","null fault=none","null fault=crash"]},"precision":"f32","processes":3,"reference":"identity","reference_version":"2.15.0","repetitions":4,"seed":7,"stop_when":null,"threads":1,"timeouts":{"compile_s":3600.0,"run_s":600.0},"tolerances":{"absolute":0.0001,"relative":0.001},"warm_up":"auto"}','c3215f2fcef5f2196c197ecee692a5aebff2f220f5ec51c597a83c339b883f49',1795434580156623451,NULL,NULL,NULL,NULL);
CREATE TABLE run_cell (  -- The cells that a run planned.
  run_key INTEGER NOT NULL REFERENCES run,  -- the run
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  PRIMARY KEY (run_key, cell_key)
) STRICT, WITHOUT ROWID;
INSERT INTO "run_cell" VALUES(1,1);
INSERT INTO "run_cell" VALUES(1,2);
INSERT INTO "run_cell" VALUES(1,3);
INSERT INTO "run_cell" VALUES(1,4);
INSERT INTO "run_cell" VALUES(1,5);
INSERT INTO "run_cell" VALUES(1,6);
INSERT INTO "run_cell" VALUES(1,7);
INSERT INTO "run_cell" VALUES(1,8);
CREATE TABLE run_device (  -- A device's share of a run.
  run_key INTEGER NOT NULL REFERENCES run,  -- the run
  device TEXT NOT NULL,  -- name in the study
  last_sequence INTEGER NOT NULL DEFAULT 0,  -- last event recorded; 0 for none
  is_finished INTEGER NOT NULL DEFAULT 0 CHECK (is_finished IN (0, 1)),  -- 1: the device has nothing left to do
  PRIMARY KEY (run_key, device)
) STRICT, WITHOUT ROWID;
INSERT INTO "run_device" VALUES(1,'local',20,1);
CREATE TABLE series (  -- Numbers that span cells; docs/metrics.md has the formulas.
  position INTEGER PRIMARY KEY,  -- within a part in the order of series and cells
  part_key INTEGER NOT NULL REFERENCES series_part,  -- the part
  series TEXT NOT NULL,  -- name with unit
  device TEXT NOT NULL,  -- name in the study, with the compute device unless that is the CPU
  compiler TEXT NOT NULL,  -- label and version
  subject TEXT NOT NULL,  -- what it is about: a group of models, a stack of blocks, a model
  batch_sizes TEXT NOT NULL,  -- one batch size, or the smallest and the largest: 2-4
  value REAL,  -- NULL: there is none
  low REAL,  -- 95 % interval; NULL: the series has none
  high REAL,  -- 95 % interval; NULL: the series has none
  standard_error REAL,  -- of a slope
  degrees REAL,  -- of freedom, of the standard error
  reason TEXT NOT NULL  -- why there is no value; empty when there is one
) STRICT;
CREATE TABLE series_cell (  -- A cell that a row of series is about.
  position INTEGER NOT NULL REFERENCES series,  -- the row
  cell_position INTEGER NOT NULL,  -- 0, 1, …
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  PRIMARY KEY (position, cell_position)
) STRICT, WITHOUT ROWID;
CREATE TABLE series_part (  -- A part of the results that numbers span: the cells of one group of models on a device, or all.
  part_key INTEGER PRIMARY KEY,  -- within this file
  part TEXT NOT NULL UNIQUE,  -- name: device and group of models; empty for all cells together
  made_of TEXT NOT NULL  -- SHA-256 over formulas and processes; once it differs, the rows of this part are out of date
) STRICT;
CREATE TABLE source (  -- A results folder that `ngb merge` read; without a row, everything was measured into this file.
  source_key INTEGER PRIMARY KEY,  -- 1, 2, … in the order in which they were named
  folder TEXT NOT NULL  -- as it was named
) STRICT;
CREATE TABLE source_cell (  -- A cell as it was in its results folder.
  source_key INTEGER NOT NULL REFERENCES source,  -- the results folder
  cell_id TEXT NOT NULL,  -- its id there; it has another one here if the device was renamed
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell in this file
  device TEXT NOT NULL,  -- name of its device there
  model_label TEXT NOT NULL,  -- name of its model there
  compiler_label TEXT NOT NULL,  -- name of its compiler there
  PRIMARY KEY (source_key, cell_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE toolchain (  -- One version of one compiler as it is installed on a device.
  toolchain_key INTEGER PRIMARY KEY,  -- within this file
  device TEXT NOT NULL,  -- the device
  compiler TEXT NOT NULL,  -- name
  compiler_version TEXT NOT NULL,  -- empty for a compiler without versions
  UNIQUE (device, compiler, compiler_version)
) STRICT;
INSERT INTO "toolchain" VALUES(1,'local','identity','2.15.0');
INSERT INTO "toolchain" VALUES(2,'local','onnxruntime','1.31.1');
INSERT INTO "toolchain" VALUES(3,'local','null','');
CREATE TABLE toolchain_manifest (  -- The builds of a toolchain that were seen on its device.
  toolchain_key INTEGER NOT NULL REFERENCES toolchain,  -- the toolchain
  position INTEGER NOT NULL,  -- 0, 1, … in the order in which they were first seen
  manifest_sha256 TEXT NOT NULL REFERENCES manifest,  -- the build
  PRIMARY KEY (toolchain_key, manifest_sha256)
) STRICT, WITHOUT ROWID;
INSERT INTO "toolchain_manifest" VALUES(1,0,'e15429e9aa029e25d2fe3006046a19c8ea404ac128ae3a35552a1695c59823c1');
INSERT INTO "toolchain_manifest" VALUES(2,0,'d5f3d4598476ba336683ddff8d6624c8edc8891dcdf9aa17e4c07dd9b83a1563');
CREATE INDEX cell_of_model ON cell (model_key);
CREATE INDEX process_of_cell ON process (cell_key);
CREATE UNIQUE INDEX process_completed_once ON process (cell_key, process_index, origin, source_key)
  WHERE is_complete = 1;
CREATE INDEX series_by_part ON series (part_key);
CREATE VIEW origin AS  -- Completed processes of a cell, by origin. Metrics count those of rank 1; no others are pooled.
SELECT
  cell_key AS cell_key,  -- the cell
  origin AS origin,  -- as in process
  count(DISTINCT process_index) AS processes,  -- completed ones
  row_number() OVER (
    PARTITION BY cell_key
    ORDER BY min(count(DISTINCT process_index), planned_processes) DESC, max(process_key) DESC
  ) AS rank  -- 1: the newest origin with all planned processes, else the one with the most processes
FROM process
JOIN cell USING (cell_key)
WHERE is_complete = 1
GROUP BY cell_key, origin;
COMMIT;
