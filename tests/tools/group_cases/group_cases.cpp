// The stores and process groups, behind one function of C that takes and returns JSON: so a script of any language can
// run the recorded situations of torch.distributed on them (tests/evidence/process-groups). Several threads may call
// it.
//
//   {"call": "store", "kind": "tcp", "port": 0, "server": true}   ->  {"handle": 1, "port": 29500}
//   {"call": "set", "handle": 1, "key": "k", "value": "<hex>"}     ->  {}
//   an error                                                       ->  {"rule": "store.timeout", "error": "..."}
//
// A tensor is memory of the caller: {"data": address, "dtype": "float32", "sizes": [2], "strides": [1]}.
#include "ccgraph/runtime/broadcast_coalesced.h"
#include "ccgraph/runtime/job.h"
#include "ccgraph/runtime/tcp_store.h"
#include "dummy_backend.h"
#include "json_calls.h"
#include "stores/store_error.h"

#include "llvm/ADT/StringExtras.h"

#include <mutex>

namespace ccgraph::runtime {
namespace {

using nlohmann::json;

/// Objects that calls name by number.
struct Objects {
  std::mutex mutex;
  int64_t next = 1;
  std::map<int64_t, std::shared_ptr<Store>> stores;
  std::map<int64_t, std::shared_ptr<Job>> jobs;
  std::map<int64_t, ProcessGroup *> groups;
  std::map<int64_t, WorkPtr> works;

  template <typename T>
  int64_t add(std::map<int64_t, T> &table, T object) {
    std::lock_guard<std::mutex> lock(mutex);
    table[next] = std::move(object);
    return next++;
  }
  template <typename T>
  T at(std::map<int64_t, T> &table, const json &request, const char *name) {
    std::lock_guard<std::mutex> lock(mutex);
    return table.at(request.at(name).get<int64_t>());
  }
};
Objects &objects() {
  static auto *all = new Objects; // NOLINT(cppcoreguidelines-owning-memory): ends with the process
  return *all;
}

/// The message, and then what to do.
json failed(llvm::Error error) {
  std::string rule = ruleOf(error), text;
  llvm::handleAllErrors(
      std::move(error),
      [&](const DiagnosticError &found) {
        for (const Diagnostic &diagnostic : found.diagnostics()) {
          text += (text.empty() ? "" : "\n") + diagnostic.message;
          for (const std::string &note : diagnostic.notes)
            text += "\n" + note;
        }
      },
      [&](const llvm::ErrorInfoBase &other) { text = other.message(); });
  return {{"rule", rule}, {"error", text}};
}
json answer(llvm::Error error) { return error ? failed(std::move(error)) : json::object(); }
template <typename T, typename Convert>
json answer(llvm::Expected<T> value, Convert convert) {
  return value ? json{{"value", convert(*value)}} : failed(value.takeError());
}
template <typename T>
json answer(llvm::Expected<T> value) {
  return answer(std::move(value), [](const T &it) { return json(it); });
}

std::string bytesOf(const json &hex) { return llvm::fromHex(hex.get<std::string>()); }
json hexOf(const std::string &bytes) { return llvm::toHex(bytes, /*LowerCase=*/true); }
std::vector<std::string> allBytes(const json &list) {
  std::vector<std::string> all;
  for (const json &hex : list)
    all.push_back(bytesOf(hex));
  return all;
}
json allHex(const std::vector<std::string> &list) {
  json all = json::array();
  for (const std::string &bytes : list)
    all.push_back(hexOf(bytes));
  return all;
}
// --- Stores ----------------------------------------------------------------------------------------------------------

json openStore(const json &request) {
  Objects &all = objects();
  std::string kind = request.at("kind");
  auto add = [&](llvm::Expected<std::shared_ptr<Store>> store) -> json {
    return store ? json{{"value", all.add(all.stores, *store)}} : failed(store.takeError());
  };
  if (kind == "hash")
    return add(makeHashStore());
  if (kind == "prefix")
    return add(makePrefixStore(request.at("prefix"), all.at(all.stores, request, "handle")));
  std::optional<int64_t> users;
  if (request.contains("users") && !request["users"].is_null())
    users = request["users"].get<int64_t>();
  if (kind == "file")
    return add(openFileStore({request.at("path"), users}));
  TcpStoreSetup setup;
  setup.host = request.at("host");
  setup.port = request.at("port");
  setup.users = users;
  setup.isServer = request.at("server");
  setup.timeout = timeIn(request).value_or(setup.timeout);
  setup.waitForUsers = request.value("waits", true);
  setup.sharesServer = request.value("shares", false);
  llvm::Expected<std::shared_ptr<TcpStore>> store = openTcpStore(setup);
  return store ? add(std::static_pointer_cast<Store>(*store)) : failed(store.takeError());
}

json callStore(const std::string &call, const json &request) {
  Objects &all = objects();
  std::shared_ptr<Store> store = all.at(all.stores, request, "handle");
  std::string key = request.contains("key") ? bytesOf(request["key"]) : "";
  std::string value = request.contains("value") ? bytesOf(request["value"]) : "";
  std::vector<std::string> keys = allBytes(request.value("keys", json::array()));
  if (call == "set")
    return answer(store->set(key, value));
  if (call == "get")
    return answer(store->get(key), hexOf);
  if (call == "add")
    return answer(store->add(key, request.at("amount").get<int64_t>()));
  if (call == "compare_set")
    return answer(store->compareSet(key, bytesOf(request.at("expected")), value), hexOf);
  if (call == "check")
    return answer(store->check(keys));
  if (call == "wait")
    return answer(store->wait(keys, timeIn(request).value_or(store->timeout())));
  if (call == "delete_key")
    return answer(store->deleteKey(key));
  if (call == "num_keys")
    return answer(store->numKeys());
  if (call == "list_keys")
    return answer(store->listKeys(), allHex);
  if (call == "append")
    return answer(store->append(key, value));
  if (call == "multi_set")
    return answer(store->multiSet(keys, allBytes(request.at("values"))));
  if (call == "multi_get")
    return answer(store->multiGet(keys), allHex);
  if (call == "queue_push")
    return answer(store->queuePush(key, value));
  if (call == "queue_pop")
    return answer(store->queuePop(key, timeIn(request).value_or(store->timeout())), hexOf);
  if (call == "queue_len")
    return answer(store->queueLength(key));
  if (call == "has_extended_api")
    return {{"value", store->hasExtendedApi()}};
  if (call == "timeout")
    return {{"value", store->timeout().count()}};
  if (call == "set_timeout")
    return store->setTimeout(*timeIn(request)), json::object();
  if (call == "barrier")
    return answer(
        waitAtStoreBarrier(*store, {request.at("group"), request.at("rank"), request.at("ranks"), *timeIn(request)}));
  return {{"error", "no such call: " + call}};
}

// --- Jobs and groups -------------------------------------------------------------------------------------------------

Environment environmentIn(const json &request) {
  std::map<std::string, std::string> variables = request.value("environment", std::map<std::string, std::string>());
  return [variables](llvm::StringRef name) -> std::optional<std::string> {
    auto found = variables.find(name.str());
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

std::optional<int64_t> numberIn(const json &request, const char *name) {
  bool is = request.contains(name) && !request[name].is_null();
  return is ? std::optional(request[name].get<int64_t>()) : std::nullopt;
}

InitMethod methodIn(const json &request) {
  InitMethod method;
  method.url = request.at("url");
  method.rank = numberIn(request, "rank");
  method.worldSize = numberIn(request, "world_size");
  method.timeout = timeIn(request).value_or(method.timeout);
  method.environment = environmentIn(request);
  return method;
}

json join(const json &request) {
  llvm::Expected<JoinedStore> joined = joinStore(methodIn(request));
  if (!joined)
    return failed(joined.takeError());
  return {{"value", objects().add(objects().stores, joined->store)},
          {"type", joined->store->typeName().str()},
          {"rank", joined->rank},
          {"world_size", joined->worldSize}};
}

json initJob(const json &request) {
  Objects &all = objects();
  JobOptions options;
  options.backend = request.at("backend");
  if (request.contains("store")) {
    options.store = all.at(all.stores, request, "store");
    options.rank = numberIn(request, "rank").value_or(-1);
    options.worldSize = numberIn(request, "world_size").value_or(-1);
  } else {
    options.init = methodIn(request);
  }
  options.timeout = timeIn(request).value_or(options.timeout);
  llvm::Expected<DebugLevel> debug = parseDebugLevel(request.value("debug", "OFF"));
  if (!debug)
    return failed(debug.takeError());
  options.debug = *debug;
  llvm::Expected<std::unique_ptr<Job>> job = Job::init(std::move(options));
  if (!job)
    return failed(job.takeError());
  std::shared_ptr<Job> shared = std::move(*job);
  return {{"value", all.add(all.jobs, shared)},
          {"world", all.add(all.groups, &shared->world())},
          {"rank", shared->rank()},
          {"world_size", shared->worldSize()}};
}

json newGroup(const json &request) {
  Objects &all = objects();
  NewGroupOptions options;
  if (request.contains("ranks") && !request["ranks"].is_null())
    options.ranks = request["ranks"].get<std::vector<int64_t>>();
  options.timeout = timeIn(request);
  options.backend = request.value("backend", "");
  options.localSynchronization = request.value("local", false);
  options.sortRanks = request.value("sort", true);
  llvm::Expected<ProcessGroup *> group = all.at(all.jobs, request, "job")->newGroup(options);
  if (!group)
    return failed(group.takeError());
  return {{"value", all.add(all.groups, *group)}};
}

json describe(const ProcessGroup &group) {
  return {{"value",
           {{"name", group.name()},
            {"description", group.description()},
            {"rank", group.rank()},
            {"size", group.size()},
            {"members", group.members().vec()},
            {"sequence", group.sequence()},
            {"config", group.config().str()}}}};
}

json newSubgroups(Job &job, const json &request) {
  llvm::Expected<ProcessGroup *> own = request.contains("lists")
                                           ? job.newSubgroups(request["lists"].get<std::vector<std::vector<int64_t>>>())
                                           : job.newSubgroups(request.at("size").get<int64_t>());
  if (!own)
    return failed(own.takeError());
  return {{"value", *own ? json(objects().add(objects().groups, *own)) : json()}};
}

json callJob(const std::string &call, const json &request) {
  Objects &all = objects();
  std::shared_ptr<Job> job = all.at(all.jobs, request, "job");
  if (call == "new_subgroups")
    return newSubgroups(*job, request);
  if (call == "warnings")
    return {{"value", std::vector<std::string>(job->warnings().begin(), job->warnings().end())}};
  ProcessGroup *group = all.at(all.groups, request, "group");
  if (call == "group_rank")
    return answer(job->groupRank(*group, request.at("rank").get<int64_t>()));
  if (call == "global_rank")
    return answer(job->globalRank(*group, request.at("rank").get<int64_t>()));
  if (call == "destroy")
    return answer(job->destroyGroup(*group));
  return {{"error", "no such call: " + call}};
}

// --- Calls of groups -------------------------------------------------------------------------------------------------

json batch(ProcessGroup &group, const json &request) {
  std::vector<Transfer> transfers;
  for (const json &each : request.at("transfers")) {
    std::string op = each.at("op");
    GroupOp kind = op == "send" ? GroupOp::Send : op == "recv" ? GroupOp::Recv : GroupOp::AllReduce;
    transfers.push_back({kind, tensorOf(each.at("tensor")), each.at("peer"), each.at("tag")});
  }
  return answer(group.batch(transfers), [](const std::vector<WorkPtr> &works) {
    json handles = json::array();
    for (const WorkPtr &work : works)
      handles.push_back(objects().add(objects().works, work));
    return handles;
  });
}

json callGroup(const std::string &call, const json &request) {
  Objects &all = objects();
  ProcessGroup *group = all.at(all.groups, request, "group");
  if (call == "batch")
    return batch(*group, request);
  if (call == "describe")
    return describe(*group);
  if (call == "monitored_barrier")
    return answer(group->monitoredBarrier({timeIn(request), request.value("all", false)}));
  if (call == "broadcast_coalesced") {
    json events = json::array();
    llvm::Error error = broadcastCoalesced(
        *group, tensorsIn(request, "inputs"), request.at("bytes"), request.at("root"),
        [&](const BroadcastEvent &event) {
          events.push_back({event.kind == BroadcastEvent::Kind::Broadcast ? "broadcast" : "wait", event.bucket});
        });
    return error ? failed(std::move(error))
                 : json{{"value",
                         {{"events", events},
                          {"buckets", broadcastBuckets(tensorsIn(request, "inputs"), request.at("bytes"))}}}};
  }
  llvm::Expected<WorkPtr> work = beginCall(*group, request.at("op"), request);
  if (!work)
    return failed(work.takeError());
  return {{"value", *work ? json(all.add(all.works, *work)) : json()}};
}

json callWork(const std::string &call, const json &request) {
  Objects &all = objects();
  WorkPtr work = all.at(all.works, request, "work");
  if (call == "work_wait")
    return answer(work->wait(timeIn(request)));
  if (call == "work_is_completed")
    return {{"value", work->isCompleted()}};
  if (call == "work_exception")
    return answer(work->exception());
  return answer(work->sourceRank());
}

void release(const json &request) {
  Objects &all = objects();
  std::unique_lock<std::mutex> lock(all.mutex);
  int64_t handle = request.at("handle");
  // Ends outside of the lock, since other threads may wait for what ends here.
  std::shared_ptr<Store> store = all.stores.count(handle) ? std::move(all.stores[handle]) : nullptr;
  std::shared_ptr<Job> job = all.jobs.count(handle) ? std::move(all.jobs[handle]) : nullptr;
  WorkPtr work = all.works.count(handle) ? std::move(all.works[handle]) : nullptr;
  all.stores.erase(handle);
  all.jobs.erase(handle);
  all.works.erase(handle);
  lock.unlock();
}

json configOf(const json &request) {
  llvm::Expected<BackendConfig> config = parseBackendConfig(request.at("text").get<std::string>());
  if (!config)
    return failed(config.takeError());
  json map = json::object();
  for (const BackendConfig::Entry &entry : config->entries)
    map[entry.device] = entry.backend;
  return {{"value", {config->str(), map}}, {"warnings", config->warnings}};
}

json registerDummy(const json &request) {
  BackendKind kind;
  if (request.at("creates"))
    kind.create = createDummyBackend;
  kind.devices = request.at("devices").get<std::vector<std::string>>();
  std::optional<std::string> warning = registerBackend(request.at("name").get<std::string>(), std::move(kind));
  return {{"value", warning ? json(*warning) : json()}};
}

/// The handler of the records: the given rank and world size, and a store without other users.
json registerScheme(const json &request) {
  return answer(registerInitMethod(request.at("scheme").get<std::string>(), [](const InitMethod &method) {
    return llvm::Expected<JoinedStore>(
        JoinedStore{makeHashStore(), method.rank.value_or(0), method.worldSize.value_or(1)});
  }));
}

json respond(const json &request) {
  std::string call = request.at("call");
  if (call == "store")
    return openStore(request);
  if (call == "join")
    return join(request);
  if (call == "init")
    return initJob(request);
  if (call == "new_group")
    return newGroup(request);
  if (call == "config")
    return configOf(request);
  if (call == "register_backend")
    return registerDummy(request);
  if (call == "backend_available")
    return {{"value", isBackendAvailable(request.at("name").get<std::string>())}};
  if (call == "register_scheme")
    return registerScheme(request);
  if (call == "debug_level")
    return answer(parseDebugLevel(request.at("text").get<std::string>()),
                  [](DebugLevel level) { return json(debugLevelName(level).str()); });
  if (call == "local_rank")
    return answer(nodeLocalRank(environmentIn(request), numberIn(request, "fallback")));
  if (call == "reduction")
    return answer(Reduction::parse(request.at("text").get<std::string>()), [](const Reduction &it) {
      return json{it.str(), it.serialize()};
    });
  if (call == "release")
    return release(request), json::object();
  if (request.contains("work"))
    return callWork(call, request);
  if (request.contains("job"))
    return callJob(call, request);
  return request.contains("group") && !request.contains("handle") ? callGroup(call, request) : callStore(call, request);
}

} // namespace
} // namespace ccgraph::runtime

/// The answer is valid until the thread's next call.
extern "C" __attribute__((visibility("default"))) const char *ccgraph_group_case(const char *request) {
  thread_local std::string text;
  try {
    text = ccgraph::runtime::respond(nlohmann::json::parse(request)).dump();
  } catch (const std::exception &wrong) {
    text = nlohmann::json{{"rule", "script"}, {"error", wrong.what()}}.dump();
  }
  return text.c_str();
}
